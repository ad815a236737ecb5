-- What must survive a crash, one row a transfer; no secret ever stands here.
CREATE TABLE transfers (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  state TEXT NOT NULL,
  reason TEXT,
  next_try REAL,
  priority INTEGER NOT NULL,
  url TEXT NOT NULL,
  url_digest TEXT NOT NULL,
  folder TEXT NOT NULL,
  requested_name TEXT,
  path TEXT,
  part_name TEXT,
  bytes_total INTEGER,
  entity_tag TEXT,
  last_modified TEXT,
  is_last_modified_strong INTEGER NOT NULL,
  synced TEXT NOT NULL,
  bytes_refetched INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  restarts INTEGER NOT NULL,
  failure_code TEXT,
  failure_message TEXT,
  failure_hint TEXT,
  sha256 TEXT,
  created_at REAL NOT NULL,
  finished_at REAL,
  deadline_at REAL,
  file_byte_count INTEGER,
  file_modified_ns INTEGER,
  options TEXT NOT NULL,
  has_secrets INTEGER NOT NULL,
  owner TEXT
) STRICT;

-- What is left to do, however long the history is. Listings go by number, the order of acceptance.
CREATE INDEX transfers_unfinished ON transfers (number)
  WHERE state IN ('queued', 'waiting', 'running', 'verifying', 'paused');

-- "The same command again" is one look-up.
CREATE INDEX transfers_by_command ON transfers (url_digest);

CREATE INDEX transfers_by_owner ON transfers (owner) WHERE owner IS NOT NULL;

CREATE TABLE attempts (
  transfer TEXT NOT NULL REFERENCES transfers (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  started_at REAL NOT NULL,
  dns REAL NOT NULL,
  connect REAL NOT NULL,
  tls REAL NOT NULL,
  first_byte REAL NOT NULL,
  total REAL NOT NULL,
  byte_count INTEGER NOT NULL,
  bytes_per_second REAL NOT NULL,
  http_status INTEGER,
  is_reused INTEGER NOT NULL,
  error TEXT,
  PRIMARY KEY (transfer, number)
) STRICT, WITHOUT ROWID;

-- What another process asks of the owner of a transfer.
CREATE TABLE wanted (
  transfer TEXT PRIMARY KEY REFERENCES transfers (id) ON DELETE CASCADE,
  what TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Servers that answered 429 or 503 to more connections than these.
CREATE TABLE hosts (
  origin TEXT PRIMARY KEY,
  connections INTEGER NOT NULL,
  until REAL NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX hosts_by_end ON hosts (until);
