-- The Hermes session: what goes out, what comes in, what is known of the other side. No secret ever stands here.

-- What a transfer of the kind media is beside its row in transfers.
CREATE TABLE media_uploads (
  transfer TEXT PRIMARY KEY REFERENCES transfers (id) ON DELETE CASCADE,
  gateway TEXT NOT NULL,
  device TEXT NOT NULL,
  profile TEXT NOT NULL,
  wire_id TEXT NOT NULL UNIQUE,
  media_kind TEXT NOT NULL,
  mime TEXT NOT NULL,
  file_name TEXT,
  caption TEXT,
  source_path TEXT NOT NULL,
  source_device INTEGER NOT NULL,
  source_inode INTEGER NOT NULL,
  source_byte_count INTEGER NOT NULL,
  source_modified_ns INTEGER NOT NULL,
  part_byte_count INTEGER NOT NULL,
  parts_acknowledged TEXT NOT NULL,
  is_at_most_once INTEGER NOT NULL,
  is_last_part_begun INTEGER NOT NULL,
  is_resent INTEGER NOT NULL
) STRICT;

-- A file that the agent announced by a link is a download; this says for which media.
CREATE TABLE media_downloads (
  transfer TEXT PRIMARY KEY REFERENCES transfers (id) ON DELETE CASCADE,
  gateway TEXT NOT NULL,
  device TEXT NOT NULL,
  id_digest TEXT NOT NULL,
  media_id TEXT NOT NULL,
  head TEXT NOT NULL
) STRICT;

CREATE INDEX media_downloads_by_id ON media_downloads (id_digest);

-- Messages and answers, in the order they were accepted.
CREATE TABLE outbox (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  gateway TEXT NOT NULL,
  device TEXT NOT NULL,
  what TEXT NOT NULL,
  payload TEXT NOT NULL,
  created_at REAL NOT NULL,
  ended_at REAL,
  failure TEXT
) STRICT;

CREATE INDEX outbox_open ON outbox (gateway, device, number) WHERE ended_at IS NULL;

CREATE INDEX outbox_ended ON outbox (ended_at) WHERE ended_at IS NOT NULL;

-- Media of which some parts are there.
CREATE TABLE assemblies (
  number INTEGER PRIMARY KEY,
  gateway TEXT NOT NULL,
  device TEXT NOT NULL,
  id_digest TEXT NOT NULL,
  media_id TEXT NOT NULL,
  head TEXT NOT NULL,
  parts INTEGER NOT NULL,
  folder TEXT NOT NULL,
  part_name TEXT NOT NULL,
  boot_id TEXT NOT NULL,
  started_at REAL NOT NULL,
  updated_at REAL NOT NULL,
  path TEXT,
  sha256 TEXT,
  file_inode INTEGER,
  UNIQUE (id_digest, gateway, device)
) STRICT;

CREATE INDEX assemblies_by_age ON assemblies (updated_at);

-- Where in the part file each part stands: they are appended as they come.
CREATE TABLE assembly_parts (
  assembly INTEGER NOT NULL REFERENCES assemblies (number) ON DELETE CASCADE,
  part INTEGER NOT NULL,
  start INTEGER NOT NULL,
  byte_count INTEGER NOT NULL,
  -- Equal for equal bytes.
  tag TEXT NOT NULL,
  PRIMARY KEY (assembly, part)
) STRICT, WITHOUT ROWID;

-- What came, for as long as the other side may send it again.
CREATE TABLE received (
  number INTEGER PRIMARY KEY,
  gateway TEXT NOT NULL,
  device TEXT NOT NULL,
  what TEXT NOT NULL,
  id_digest TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  path TEXT,
  received_at REAL NOT NULL
) STRICT;

-- The digest of an ID tells enough to find it; the other columns would double the index.
CREATE INDEX received_by_id ON received (id_digest);

CREATE INDEX received_by_time ON received (received_at);

-- Gateways that refused larger parts than these.
CREATE TABLE part_sizes (
  gateway TEXT PRIMARY KEY,
  byte_count INTEGER NOT NULL,
  learned_at REAL NOT NULL
) STRICT, WITHOUT ROWID;
