CREATE TABLE outbox_events (
	position INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	"transaction" BIGINT NOT NULL,
	event_id TEXT NOT NULL,
	name TEXT NOT NULL,
	schema_version INTEGER NOT NULL,
	workspace_id TEXT NOT NULL,
	project_id TEXT,
	aggregate_type TEXT NOT NULL,
	aggregate_id TEXT NOT NULL,
	aggregate_version INTEGER NOT NULL,
	actor TEXT NOT NULL,
	correlation_id TEXT NOT NULL,
	causation_id TEXT,
	hop INTEGER NOT NULL,
	idempotency_key TEXT NOT NULL,
	payload_digest TEXT NOT NULL,
	occurred_at_ms BIGINT NOT NULL,
	payload TEXT NOT NULL,
	CONSTRAINT uq_outbox_events_aggregate_type_aggregate_id_aggregate_version_name UNIQUE (aggregate_type, aggregate_id, aggregate_version, name),
	CONSTRAINT uq_outbox_events_event_id UNIQUE (event_id)
)
-- then
CREATE INDEX ix_outbox_events_feed ON outbox_events (workspace_id, "transaction", position)
-- then
CREATE TABLE circuits (
	workspace_id TEXT NOT NULL,
	subject TEXT NOT NULL,
	state TEXT NOT NULL,
	failures INTEGER NOT NULL,
	open_until_ms BIGINT,
	updated_at_ms BIGINT NOT NULL,
	CONSTRAINT pk_circuits PRIMARY KEY (workspace_id, subject)
)
-- then
CREATE TABLE idempotency_records (
	id TEXT NOT NULL,
	workspace_id TEXT NOT NULL,
	project_id TEXT NOT NULL,
	actor TEXT NOT NULL,
	action TEXT NOT NULL,
	key_digest TEXT NOT NULL,
	request_digest TEXT NOT NULL,
	resource_id TEXT NOT NULL,
	status INTEGER,
	body TEXT,
	created_at_ms BIGINT NOT NULL,
	answer_until_ms BIGINT NOT NULL,
	CONSTRAINT pk_idempotency_records PRIMARY KEY (id),
	CONSTRAINT uq_idempotency_records_workspace_id_project_id_actor_action_key_digest UNIQUE (workspace_id, project_id, actor, action, key_digest)
)
-- then
CREATE INDEX ix_idempotency_records_answer ON idempotency_records (answer_until_ms)
-- then
CREATE INDEX ix_idempotency_records_resource ON idempotency_records (resource_id)
-- then
CREATE TABLE event_receipts (
	consumer TEXT NOT NULL,
	event_id TEXT NOT NULL,
	received_at_ms BIGINT NOT NULL,
	CONSTRAINT pk_event_receipts PRIMARY KEY (consumer, event_id)
)
-- then
CREATE TABLE event_consumers (
	name TEXT NOT NULL,
	required BOOLEAN NOT NULL,
	held BOOLEAN NOT NULL,
	known_since_ms BIGINT NOT NULL,
	CONSTRAINT pk_event_consumers PRIMARY KEY (name)
)
-- then
CREATE TABLE rate_limits (
	"key" TEXT NOT NULL,
	unused_at_us BIGINT NOT NULL,
	CONSTRAINT pk_rate_limits PRIMARY KEY ("key")
)
-- then
CREATE INDEX ix_rate_limits_unused_at_us ON rate_limits (unused_at_us)
-- then
CREATE TABLE accounts (
	id TEXT NOT NULL,
	workspace_id TEXT NOT NULL,
	provider_id TEXT NOT NULL,
	schema_version TEXT NOT NULL,
	name TEXT NOT NULL,
	name_key TEXT NOT NULL,
	config TEXT NOT NULL,
	status TEXT NOT NULL,
	last_test TEXT,
	trial_run_id TEXT,
	version INTEGER NOT NULL,
	created_at_ms BIGINT NOT NULL,
	updated_at_ms BIGINT NOT NULL,
	CONSTRAINT pk_accounts PRIMARY KEY (id)
)
-- then
CREATE INDEX ix_accounts_listed ON accounts (workspace_id, created_at_ms, id)
-- then
CREATE UNIQUE INDEX uq_accounts_name ON accounts (workspace_id, name_key) WHERE status != 'ARCHIVED'
-- then
CREATE TABLE artifacts (
	id TEXT NOT NULL,
	workspace_id TEXT NOT NULL,
	type TEXT NOT NULL,
	owner_type TEXT NOT NULL,
	owner_id TEXT NOT NULL,
	backend TEXT NOT NULL,
	location TEXT NOT NULL,
	state TEXT NOT NULL,
	size_bytes BIGINT NOT NULL,
	sha256 TEXT NOT NULL,
	content_type TEXT NOT NULL,
	file_name TEXT NOT NULL,
	pinned BOOLEAN NOT NULL,
	legal_hold BOOLEAN NOT NULL,
	created_by TEXT NOT NULL,
	expires_at_ms BIGINT,
	due_at_ms BIGINT,
	attempts INTEGER NOT NULL,
	last_error TEXT NOT NULL,
	version INTEGER NOT NULL,
	created_at_ms BIGINT NOT NULL,
	updated_at_ms BIGINT NOT NULL,
	CONSTRAINT pk_artifacts PRIMARY KEY (id),
	CONSTRAINT uq_artifacts_location UNIQUE (location)
)
-- then
CREATE INDEX ix_artifacts_due ON artifacts (state, due_at_ms)
-- then
CREATE INDEX ix_artifacts_owner ON artifacts (workspace_id, owner_type, owner_id)
-- then
CREATE INDEX ix_artifacts_listed ON artifacts (workspace_id, created_at_ms, id)
-- then
CREATE TABLE artifact_usages (
	workspace_id TEXT NOT NULL,
	used_bytes BIGINT NOT NULL,
	reserved_bytes BIGINT NOT NULL,
	CONSTRAINT pk_artifact_usages PRIMARY KEY (workspace_id)
)
-- then
CREATE TABLE audiences (
	id TEXT NOT NULL,
	workspace_id TEXT NOT NULL,
	name TEXT NOT NULL,
	name_key TEXT NOT NULL,
	source_type TEXT NOT NULL,
	source TEXT NOT NULL,
	layout TEXT NOT NULL,
	status TEXT NOT NULL,
	snapshot_id TEXT NOT NULL,
	snapshot_revision INTEGER NOT NULL,
	record_count BIGINT NOT NULL,
	created_by TEXT NOT NULL,
	version INTEGER NOT NULL,
	created_at_ms BIGINT NOT NULL,
	updated_at_ms BIGINT NOT NULL,
	CONSTRAINT pk_audiences PRIMARY KEY (id)
)
-- then
CREATE UNIQUE INDEX uq_audiences_name ON audiences (workspace_id, name_key) WHERE status != 'ARCHIVED'
-- then
CREATE INDEX ix_audiences_listed ON audiences (workspace_id, created_at_ms, id)
-- then
CREATE TABLE audit_events (
	id TEXT NOT NULL,
	occurred_at_ms BIGINT NOT NULL,
	workspace_id TEXT NOT NULL,
	actor_kind TEXT NOT NULL,
	actor_id TEXT NOT NULL,
	actor_name TEXT NOT NULL,
	action TEXT NOT NULL,
	resource_type TEXT NOT NULL,
	resource_id TEXT NOT NULL,
	result TEXT NOT NULL,
	trace_id TEXT NOT NULL,
	source_address TEXT NOT NULL,
	details TEXT NOT NULL,
	CONSTRAINT pk_audit_events PRIMARY KEY (id)
)
-- then
CREATE INDEX ix_audit_events_actor ON audit_events (actor_id, occurred_at_ms)
-- then
CREATE INDEX ix_audit_events_occurred ON audit_events (occurred_at_ms, id)
-- then
CREATE INDEX ix_audit_events_workspace ON audit_events (workspace_id, occurred_at_ms, id)
-- then
CREATE TABLE audit_horizon (
	id INTEGER NOT NULL,
	keep_from_ms BIGINT NOT NULL,
	CONSTRAINT pk_audit_horizon PRIMARY KEY (id),
	CONSTRAINT ck_audit_horizon_single CHECK (id = 1)
)
-- then
CREATE TRIGGER audit_events_never_change BEFORE UPDATE ON audit_events
BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END
-- then
CREATE TRIGGER audit_events_never_leave_young BEFORE DELETE ON audit_events WHEN OLD.occurred_at_ms >= COALESCE((SELECT keep_from_ms FROM audit_horizon WHERE id = 1), 0)
BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END
-- then
CREATE TRIGGER audit_horizon_never_moves_back BEFORE UPDATE ON audit_horizon
WHEN NEW.keep_from_ms < OLD.keep_from_ms BEGIN SELECT RAISE(ABORT, 'the horizon of the audit moves forward'); END
-- then
CREATE TRIGGER audit_horizon_stays BEFORE DELETE ON audit_horizon
BEGIN SELECT RAISE(ABORT, 'the horizon of the audit stays'); END
-- then
CREATE TABLE users (
	id TEXT NOT NULL,
	username TEXT NOT NULL,
	username_key TEXT NOT NULL,
	display_name TEXT NOT NULL,
	status TEXT NOT NULL,
	system_admin BOOLEAN NOT NULL,
	password_hash TEXT,
	external_subject TEXT,
	last_sign_in_at_ms BIGINT,
	version INTEGER NOT NULL,
	created_at_ms BIGINT NOT NULL,
	updated_at_ms BIGINT NOT NULL,
	CONSTRAINT pk_users PRIMARY KEY (id),
	CONSTRAINT uq_users_username_key UNIQUE (username_key),
	CONSTRAINT uq_users_external_subject UNIQUE (external_subject)
)
-- then
CREATE INDEX ix_users_created ON users (created_at_ms, id)
-- then
CREATE TABLE jobs (
	id TEXT NOT NULL,
	workspace_id TEXT NOT NULL,
	name TEXT NOT NULL,
	name_key TEXT NOT NULL,
	account_id TEXT NOT NULL,
	message_id TEXT NOT NULL,
	message_revision INTEGER,
	audience_id TEXT NOT NULL,
	policies TEXT NOT NULL,
	open_api_enabled BOOLEAN NOT NULL,
	open_api_recipient_cap INTEGER NOT NULL,
	status TEXT NOT NULL,
	version INTEGER NOT NULL,
	created_at_ms BIGINT NOT NULL,
	updated_at_ms BIGINT NOT NULL,
	CONSTRAINT pk_jobs PRIMARY KEY (id)
)
-- then
CREATE INDEX ix_jobs_listed ON jobs (workspace_id, created_at_ms, id)
-- then
CREATE INDEX ix_jobs_message ON jobs (message_id)
-- then
CREATE INDEX ix_jobs_account ON jobs (account_id)
-- then
CREATE UNIQUE INDEX uq_jobs_name ON jobs (workspace_id, name_key) WHERE status != 'ARCHIVED'
-- then
CREATE INDEX ix_jobs_audience ON jobs (audience_id)
-- then
CREATE TABLE messages (
	id TEXT NOT NULL,
	workspace_id TEXT NOT NULL,
	provider_id TEXT NOT NULL,
	name TEXT NOT NULL,
	name_key TEXT NOT NULL,
	current_revision INTEGER NOT NULL,
	status TEXT NOT NULL,
	version INTEGER NOT NULL,
	created_at_ms BIGINT NOT NULL,
	updated_at_ms BIGINT NOT NULL,
	CONSTRAINT pk_messages PRIMARY KEY (id)
)
-- then
CREATE UNIQUE INDEX uq_messages_name ON messages (workspace_id, name_key) WHERE status != 'ARCHIVED'
-- then
CREATE INDEX ix_messages_listed ON messages (workspace_id, created_at_ms, id)
-- then
CREATE TABLE runs (
	id TEXT NOT NULL,
	workspace_id TEXT NOT NULL,
	job_id TEXT NOT NULL,
	job_name TEXT NOT NULL,
	snapshot_id TEXT NOT NULL,
	provider_id TEXT NOT NULL,
	account_id TEXT NOT NULL,
	state TEXT NOT NULL,
	state_reason TEXT NOT NULL,
	waiting_reason TEXT NOT NULL,
	waiting_until_ms BIGINT,
	dry_run BOOLEAN NOT NULL,
	reason TEXT NOT NULL,
	total BIGINT NOT NULL,
	succeeded BIGINT NOT NULL,
	failed BIGINT NOT NULL,
	unknown BIGINT NOT NULL,
	unsent BIGINT NOT NULL,
	skipped BIGINT NOT NULL,
	retried BIGINT NOT NULL,
	maybe_doubled BIGINT NOT NULL,
	concurrency INTEGER NOT NULL,
	concurrency_min INTEGER NOT NULL,
	concurrency_max INTEGER NOT NULL,
	rates TEXT NOT NULL,
	wants_pause BOOLEAN NOT NULL,
	wants_end TEXT NOT NULL,
	end_reason TEXT NOT NULL,
	shard_count INTEGER NOT NULL,
	pending_shards INTEGER NOT NULL,
	open_shards INTEGER NOT NULL,
	not_before_ms BIGINT NOT NULL,
	last_claimed_at_ms BIGINT NOT NULL,
	started_at_ms BIGINT,
	ended_at_ms BIGINT,
	source_run_id TEXT,
	source_outcomes TEXT NOT NULL,
	schedule_id TEXT,
	fire_at_ms BIGINT,
	confirmation_id TEXT,
	created_by TEXT NOT NULL,
	command_sequence INTEGER NOT NULL,
	event_sequence BIGINT NOT NULL,
	events_from BIGINT NOT NULL,
	results_wanted BOOLEAN NOT NULL,
	ending_by TEXT NOT NULL,
	ending_until_ms BIGINT NOT NULL,
	artifacts TEXT NOT NULL,
	suppressed_errors TEXT NOT NULL,
	version INTEGER NOT NULL,
	created_at_ms BIGINT NOT NULL,
	updated_at_ms BIGINT NOT NULL,
	CONSTRAINT pk_runs PRIMARY KEY (id),
	CONSTRAINT uq_runs_schedule_id_fire_at_ms UNIQUE (schedule_id, fire_at_ms),
	CONSTRAINT uq_runs_confirmation_id UNIQUE (confirmation_id)
)
-- then
CREATE INDEX ix_runs_state ON runs (workspace_id, state, created_at_ms, id)
-- then
CREATE INDEX ix_runs_source ON runs (source_run_id)
-- then
CREATE INDEX ix_runs_job ON runs (job_id, created_at_ms, id)
-- then
CREATE INDEX ix_runs_claimable ON runs (workspace_id, last_claimed_at_ms, id) WHERE pending_shards > 0
-- then
CREATE INDEX ix_runs_newest ON runs (workspace_id, created_at_ms, id)
-- then
CREATE INDEX ix_runs_to_end ON runs (ending_until_ms) WHERE results_wanted AND open_shards = 0
-- then
CREATE TABLE run_lanes (
	workspace_id TEXT NOT NULL,
	last_claimed_at_ms BIGINT NOT NULL,
	CONSTRAINT pk_run_lanes PRIMARY KEY (workspace_id)
)
-- then
CREATE TABLE schedules (
	id TEXT NOT NULL,
	workspace_id TEXT NOT NULL,
	name TEXT NOT NULL,
	name_key TEXT NOT NULL,
	job_id TEXT NOT NULL,
	cron TEXT,
	at_ms BIGINT,
	timezone TEXT NOT NULL,
	misfire_policy TEXT NOT NULL,
	catch_up_limit INTEGER NOT NULL,
	start_at_ms BIGINT,
	end_at_ms BIGINT,
	refresh_audience BOOLEAN NOT NULL,
	status TEXT NOT NULL,
	next_fire_at_ms BIGINT,
	last_fire_at_ms BIGINT,
	created_by TEXT NOT NULL,
	version INTEGER NOT NULL,
	created_at_ms BIGINT NOT NULL,
	updated_at_ms BIGINT NOT NULL,
	CONSTRAINT pk_schedules PRIMARY KEY (id)
)
-- then
CREATE INDEX ix_schedules_workspace ON schedules (workspace_id, created_at_ms, id)
-- then
CREATE INDEX ix_schedules_job ON schedules (job_id)
-- then
CREATE INDEX ix_schedules_due ON schedules (status, next_fire_at_ms, id)
-- then
CREATE TABLE secret_records (
	id TEXT NOT NULL,
	workspace_id TEXT NOT NULL,
	namespace TEXT NOT NULL,
	name TEXT NOT NULL,
	type TEXT NOT NULL,
	version INTEGER NOT NULL,
	algorithm TEXT NOT NULL,
	nonce BLOB NOT NULL,
	ciphertext BLOB NOT NULL,
	key_version TEXT NOT NULL,
	wrapped_key BLOB NOT NULL,
	created_at_ms BIGINT NOT NULL,
	updated_at_ms BIGINT NOT NULL,
	CONSTRAINT pk_secret_records PRIMARY KEY (id),
	CONSTRAINT uq_secret_records_workspace_id_namespace_name UNIQUE (workspace_id, namespace, name)
)
-- then
CREATE INDEX ix_secret_records_key ON secret_records (key_version, id)
-- then
CREATE INDEX ix_secret_records_listed ON secret_records (workspace_id, created_at_ms, id)
-- then
CREATE TABLE workspaces (
	id TEXT NOT NULL,
	name TEXT NOT NULL,
	name_key TEXT NOT NULL,
	status TEXT NOT NULL,
	max_concurrent_runs BIGINT NOT NULL,
	max_total_concurrency BIGINT NOT NULL,
	artifact_quota_bytes BIGINT NOT NULL,
	artifact_retention_seconds BIGINT NOT NULL,
	max_workers BIGINT NOT NULL,
	version INTEGER NOT NULL,
	created_at_ms BIGINT NOT NULL,
	updated_at_ms BIGINT NOT NULL,
	CONSTRAINT pk_workspaces PRIMARY KEY (id)
)
-- then
CREATE INDEX ix_workspaces_created ON workspaces (created_at_ms, id)
-- then
CREATE UNIQUE INDEX uq_workspaces_active_name ON workspaces (name_key) WHERE status = 'ACTIVE'
-- then
CREATE TABLE event_deliveries (
	event_id TEXT NOT NULL,
	consumer TEXT NOT NULL,
	generation INTEGER NOT NULL,
	is_current BOOLEAN NOT NULL,
	workspace_id TEXT NOT NULL,
	event_name TEXT NOT NULL,
	aggregate_key TEXT NOT NULL,
	aggregate_version INTEGER NOT NULL,
	state TEXT NOT NULL,
	attempts INTEGER NOT NULL,
	next_attempt_at_ms BIGINT NOT NULL,
	owner TEXT,
	lease_until_ms BIGINT,
	fencing_token TEXT,
	last_error TEXT,
	created_at_ms BIGINT NOT NULL,
	updated_at_ms BIGINT NOT NULL,
	CONSTRAINT pk_event_deliveries PRIMARY KEY (event_id, consumer, generation),
	CONSTRAINT fk_event_deliveries_event_id_outbox_events FOREIGN KEY(event_id) REFERENCES outbox_events (event_id)
)
-- then
CREATE INDEX ix_event_deliveries_due ON event_deliveries (consumer, next_attempt_at_ms, event_id) WHERE state IN ('PENDING', 'RETRY_WAIT')
-- then
CREATE INDEX ix_event_deliveries_open ON event_deliveries (consumer, aggregate_key, aggregate_version, event_id) WHERE is_current AND state NOT IN ('SUCCEEDED', 'SKIPPED')
-- then
CREATE INDEX ix_event_deliveries_workspace ON event_deliveries (workspace_id, event_id, consumer, generation)
-- then
CREATE INDEX ix_event_deliveries_leased ON event_deliveries (lease_until_ms) WHERE state = 'SENDING'
-- then
CREATE TABLE audience_snapshots (
	id TEXT NOT NULL,
	workspace_id TEXT NOT NULL,
	audience_id TEXT NOT NULL,
	revision INTEGER NOT NULL,
	artifact_id TEXT NOT NULL,
	sha256 TEXT NOT NULL,
	record_count BIGINT NOT NULL,
	columns TEXT NOT NULL,
	aliases TEXT NOT NULL,
	"key" TEXT NOT NULL,
	source_type TEXT NOT NULL,
	cause TEXT NOT NULL,
	import_id TEXT NOT NULL,
	state TEXT NOT NULL,
	unneeded_since_ms BIGINT,
	created_by TEXT NOT NULL,
	created_at_ms BIGINT NOT NULL,
	CONSTRAINT pk_audience_snapshots PRIMARY KEY (id),
	CONSTRAINT uq_audience_snapshots_audience_id_revision UNIQUE (audience_id, revision),
	CONSTRAINT fk_audience_snapshots_audience_id_audiences FOREIGN KEY(audience_id) REFERENCES audiences (id)
)
-- then
CREATE INDEX ix_audience_snapshots_artifact ON audience_snapshots (artifact_id)
-- then
CREATE INDEX ix_audience_snapshots_state ON audience_snapshots (state, id)
-- then
CREATE TABLE audience_imports (
	id TEXT NOT NULL,
	workspace_id TEXT NOT NULL,
	audience_id TEXT,
	cause TEXT NOT NULL,
	source_type TEXT NOT NULL,
	source TEXT NOT NULL,
	layout TEXT NOT NULL,
	state TEXT NOT NULL,
	reason TEXT,
	rows_read BIGINT NOT NULL,
	is_being_read BOOLEAN NOT NULL,
	reader TEXT NOT NULL,
	epoch INTEGER NOT NULL,
	tries INTEGER NOT NULL,
	lease_until_ms BIGINT NOT NULL,
	upload TEXT,
	staged TEXT,
	errors_artifact_id TEXT,
	report TEXT,
	snapshot_id TEXT,
	created_by TEXT NOT NULL,
	version INTEGER NOT NULL,
	created_at_ms BIGINT NOT NULL,
	updated_at_ms BIGINT NOT NULL,
	CONSTRAINT pk_audience_imports PRIMARY KEY (id),
	CONSTRAINT fk_audience_imports_audience_id_audiences FOREIGN KEY(audience_id) REFERENCES audiences (id)
)
-- then
CREATE INDEX ix_audience_imports_listed ON audience_imports (workspace_id, created_at_ms, id)
-- then
CREATE INDEX ix_audience_imports_audience ON audience_imports (audience_id)
-- then
CREATE INDEX ix_audience_imports_state ON audience_imports (state, lease_until_ms, id)
-- then
CREATE TABLE role_bindings (
	id TEXT NOT NULL,
	workspace_id TEXT NOT NULL,
	user_id TEXT NOT NULL,
	role TEXT NOT NULL,
	version INTEGER NOT NULL,
	created_at_ms BIGINT NOT NULL,
	updated_at_ms BIGINT NOT NULL,
	CONSTRAINT pk_role_bindings PRIMARY KEY (id),
	CONSTRAINT uq_role_bindings_user_id_workspace_id UNIQUE (user_id, workspace_id),
	CONSTRAINT fk_role_bindings_user_id_users FOREIGN KEY(user_id) REFERENCES users (id)
)
-- then
CREATE INDEX ix_role_bindings_workspace ON role_bindings (workspace_id, created_at_ms, id)
-- then
CREATE TABLE sessions (
	id TEXT NOT NULL,
	user_id TEXT NOT NULL,
	secret_digest TEXT NOT NULL,
	source_address TEXT NOT NULL,
	user_agent TEXT NOT NULL,
	last_seen_at_ms BIGINT NOT NULL,
	expires_at_ms BIGINT NOT NULL,
	revoked_at_ms BIGINT,
	created_at_ms BIGINT NOT NULL,
	CONSTRAINT pk_sessions PRIMARY KEY (id),
	CONSTRAINT fk_sessions_user_id_users FOREIGN KEY(user_id) REFERENCES users (id),
	CONSTRAINT uq_sessions_secret_digest UNIQUE (secret_digest)
)
-- then
CREATE INDEX ix_sessions_user ON sessions (user_id, created_at_ms, id)
-- then
CREATE INDEX ix_sessions_expiry ON sessions (expires_at_ms)
-- then
CREATE TABLE tokens (
	id TEXT NOT NULL,
	workspace_id TEXT NOT NULL,
	user_id TEXT NOT NULL,
	name TEXT NOT NULL,
	name_key TEXT NOT NULL,
	shown TEXT NOT NULL,
	secret_digest TEXT NOT NULL,
	scopes TEXT NOT NULL,
	expires_at_ms BIGINT NOT NULL,
	last_used_at_ms BIGINT,
	revoked_at_ms BIGINT,
	disabled_at_ms BIGINT,
	open_failures TEXT NOT NULL,
	version INTEGER NOT NULL,
	created_at_ms BIGINT NOT NULL,
	updated_at_ms BIGINT NOT NULL,
	CONSTRAINT pk_tokens PRIMARY KEY (id),
	CONSTRAINT fk_tokens_user_id_users FOREIGN KEY(user_id) REFERENCES users (id),
	CONSTRAINT uq_tokens_secret_digest UNIQUE (secret_digest)
)
-- then
CREATE INDEX ix_tokens_workspace ON tokens (workspace_id, created_at_ms, id)
-- then
CREATE INDEX ix_tokens_user ON tokens (user_id)
-- then
CREATE TABLE one_time_codes (
	id TEXT NOT NULL,
	purpose TEXT NOT NULL,
	user_id TEXT,
	secret_digest TEXT NOT NULL,
	expires_at_ms BIGINT NOT NULL,
	consumed_at_ms BIGINT,
	created_at_ms BIGINT NOT NULL,
	CONSTRAINT pk_one_time_codes PRIMARY KEY (id),
	CONSTRAINT fk_one_time_codes_user_id_users FOREIGN KEY(user_id) REFERENCES users (id),
	CONSTRAINT uq_one_time_codes_secret_digest UNIQUE (secret_digest)
)
-- then
CREATE INDEX ix_one_time_codes_open ON one_time_codes (purpose) WHERE consumed_at_ms IS NULL
-- then
CREATE TABLE message_revisions (
	id TEXT NOT NULL,
	workspace_id TEXT NOT NULL,
	message_id TEXT NOT NULL,
	revision INTEGER NOT NULL,
	provider_id TEXT NOT NULL,
	schema_version TEXT NOT NULL,
	content TEXT NOT NULL,
	content_hash TEXT NOT NULL,
	created_by TEXT NOT NULL,
	created_at_ms BIGINT NOT NULL,
	CONSTRAINT pk_message_revisions PRIMARY KEY (id),
	CONSTRAINT uq_message_revisions_message_id_revision UNIQUE (message_id, revision),
	CONSTRAINT fk_message_revisions_message_id_messages FOREIGN KEY(message_id) REFERENCES messages (id)
)
-- then
CREATE TABLE run_snapshots (
	id TEXT NOT NULL,
	workspace_id TEXT NOT NULL,
	run_id TEXT NOT NULL,
	provider_id TEXT NOT NULL,
	provider_version TEXT NOT NULL,
	account_id TEXT NOT NULL,
	message_id TEXT NOT NULL,
	message_revision INTEGER NOT NULL,
	audience_id TEXT NOT NULL,
	audience_snapshot_id TEXT NOT NULL,
	audience_artifact_id TEXT NOT NULL,
	audience_sha256 TEXT NOT NULL,
	hash TEXT NOT NULL,
	document TEXT NOT NULL,
	document_sha256 TEXT NOT NULL,
	created_at_ms BIGINT NOT NULL,
	CONSTRAINT pk_run_snapshots PRIMARY KEY (id),
	CONSTRAINT uq_run_snapshots_run_id UNIQUE (run_id),
	CONSTRAINT fk_run_snapshots_run_id_runs FOREIGN KEY(run_id) REFERENCES runs (id)
)
-- then
CREATE INDEX ix_run_snapshots_audience ON run_snapshots (audience_snapshot_id)
-- then
CREATE INDEX ix_run_snapshots_hash ON run_snapshots (workspace_id, hash)
-- then
CREATE TABLE run_shards (
	id TEXT NOT NULL,
	workspace_id TEXT NOT NULL,
	run_id TEXT NOT NULL,
	number INTEGER NOT NULL,
	first BIGINT NOT NULL,
	"end" BIGINT NOT NULL,
	state TEXT NOT NULL,
	epoch INTEGER NOT NULL,
	begun BOOLEAN NOT NULL,
	total BIGINT NOT NULL,
	succeeded BIGINT NOT NULL,
	failed BIGINT NOT NULL,
	unknown BIGINT NOT NULL,
	unsent BIGINT NOT NULL,
	skipped BIGINT NOT NULL,
	retried BIGINT NOT NULL,
	maybe_doubled BIGINT NOT NULL,
	live TEXT NOT NULL,
	reason TEXT NOT NULL,
	failure TEXT NOT NULL,
	version INTEGER NOT NULL,
	created_at_ms BIGINT NOT NULL,
	updated_at_ms BIGINT NOT NULL,
	CONSTRAINT pk_run_shards PRIMARY KEY (id),
	CONSTRAINT uq_run_shards_run_id_number UNIQUE (run_id, number),
	CONSTRAINT fk_run_shards_run_id_runs FOREIGN KEY(run_id) REFERENCES runs (id)
)
-- then
CREATE TABLE run_commands (
	id TEXT NOT NULL,
	workspace_id TEXT NOT NULL,
	run_id TEXT NOT NULL,
	sequence INTEGER NOT NULL,
	kind TEXT NOT NULL,
	payload TEXT NOT NULL,
	state TEXT NOT NULL,
	message TEXT NOT NULL,
	created_by TEXT NOT NULL,
	delivered_at_ms BIGINT,
	settled_at_ms BIGINT,
	version INTEGER NOT NULL,
	created_at_ms BIGINT NOT NULL,
	updated_at_ms BIGINT NOT NULL,
	CONSTRAINT pk_run_commands PRIMARY KEY (id),
	CONSTRAINT uq_run_commands_run_id_sequence UNIQUE (run_id, sequence),
	CONSTRAINT fk_run_commands_run_id_runs FOREIGN KEY(run_id) REFERENCES runs (id)
)
-- then
CREATE TABLE run_events (
	run_id TEXT NOT NULL,
	sequence BIGINT NOT NULL,
	workspace_id TEXT NOT NULL,
	type TEXT NOT NULL,
	severity TEXT NOT NULL,
	payload TEXT NOT NULL,
	occurred_at_ms BIGINT NOT NULL,
	CONSTRAINT pk_run_events PRIMARY KEY (run_id, sequence),
	CONSTRAINT fk_run_events_run_id_runs FOREIGN KEY(run_id) REFERENCES runs (id)
)
-- then
CREATE INDEX ix_run_events_age ON run_events (occurred_at_ms)
-- then
CREATE TABLE schedule_firings (
	id TEXT NOT NULL,
	workspace_id TEXT NOT NULL,
	schedule_id TEXT NOT NULL,
	fire_at_ms BIGINT NOT NULL,
	state TEXT NOT NULL,
	reason TEXT NOT NULL,
	run_id TEXT,
	import_id TEXT,
	created_at_ms BIGINT NOT NULL,
	updated_at_ms BIGINT NOT NULL,
	CONSTRAINT pk_schedule_firings PRIMARY KEY (id),
	CONSTRAINT uq_schedule_firings_once UNIQUE (schedule_id, fire_at_ms),
	CONSTRAINT fk_schedule_firings_schedule_id_schedules FOREIGN KEY(schedule_id) REFERENCES schedules (id)
)
-- then
CREATE INDEX ix_schedule_firings_state ON schedule_firings (state, created_at_ms, id)
-- then
CREATE TABLE secret_versions (
	secret_id TEXT NOT NULL,
	version INTEGER NOT NULL,
	updated_by TEXT NOT NULL,
	updated_at_ms BIGINT NOT NULL,
	CONSTRAINT pk_secret_versions PRIMARY KEY (secret_id, version),
	CONSTRAINT fk_secret_versions_secret_id_secret_records FOREIGN KEY(secret_id) REFERENCES secret_records (id)
)
-- then
CREATE TABLE run_leases (
	id TEXT NOT NULL,
	workspace_id TEXT NOT NULL,
	run_id TEXT NOT NULL,
	shard_id TEXT NOT NULL,
	worker_id TEXT NOT NULL,
	epoch INTEGER NOT NULL,
	token_hash TEXT NOT NULL,
	state TEXT NOT NULL,
	concurrency INTEGER NOT NULL,
	expires_at_ms BIGINT NOT NULL,
	acked_at_ms BIGINT,
	event_sequence BIGINT NOT NULL,
	command_sequence INTEGER NOT NULL,
	version INTEGER NOT NULL,
	created_at_ms BIGINT NOT NULL,
	updated_at_ms BIGINT NOT NULL,
	CONSTRAINT pk_run_leases PRIMARY KEY (id),
	CONSTRAINT uq_run_leases_shard_id_epoch UNIQUE (shard_id, epoch),
	CONSTRAINT fk_run_leases_run_id_runs FOREIGN KEY(run_id) REFERENCES runs (id),
	CONSTRAINT fk_run_leases_shard_id_run_shards FOREIGN KEY(shard_id) REFERENCES run_shards (id)
)
-- then
CREATE INDEX ix_run_leases_worker ON run_leases (worker_id, expires_at_ms)
-- then
CREATE UNIQUE INDEX ix_run_leases_one_active ON run_leases (shard_id) WHERE state = 'ACTIVE'
-- then
CREATE INDEX ix_run_leases_expiry ON run_leases (expires_at_ms) WHERE state = 'ACTIVE'
-- then
CREATE INDEX ix_run_leases_run ON run_leases (run_id, created_at_ms)
-- then
CREATE INDEX ix_run_leases_active ON run_leases (workspace_id, run_id) WHERE state = 'ACTIVE'
