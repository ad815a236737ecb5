-- Files that go to a server over HTTP: what must be known to go on after a crash. The URL that a server gives an upload
-- lets anyone add to it, so it stands in the secrets; here it is without what makes it one.

-- What a transfer of the kind upload is beside its row in transfers.
CREATE TABLE uploads (
  transfer TEXT PRIMARY KEY REFERENCES transfers (id) ON DELETE CASCADE,
  protocol TEXT NOT NULL,
  protocol_version TEXT,
  phase TEXT NOT NULL,
  generation INTEGER NOT NULL,
  resource TEXT,
  resource_created_at REAL,
  resource_expires_at REAL,
  result_url TEXT,
  source_path TEXT NOT NULL,
  source_device INTEGER NOT NULL,
  source_inode INTEGER NOT NULL,
  source_byte_count INTEGER NOT NULL,
  source_modified_ns INTEGER NOT NULL,
  source_changed_ns INTEGER NOT NULL,
  digest TEXT,
  prefix_byte_count INTEGER NOT NULL,
  prefix_digest TEXT,
  bytes_acknowledged INTEGER NOT NULL,
  acknowledged_at REAL,
  bytes_sent INTEGER NOT NULL,
  is_length_known INTEGER NOT NULL,
  part_byte_count INTEGER,
  server TEXT NOT NULL,
  metadata TEXT NOT NULL,
  credential TEXT,
  last_status INTEGER,
  last_curl_code INTEGER,
  last_answer TEXT
) STRICT;

-- Parts that a server keeps each for itself: of S3, or uploads of their own that are joined.
CREATE TABLE upload_parts (
  transfer TEXT NOT NULL REFERENCES uploads (transfer) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  start INTEGER NOT NULL,
  byte_count INTEGER NOT NULL,
  bytes_acknowledged INTEGER NOT NULL,
  tag TEXT,
  checksum TEXT,
  state TEXT NOT NULL,
  PRIMARY KEY (transfer, number)
) STRICT, WITHOUT ROWID;
