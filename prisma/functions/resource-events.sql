-- Written by `npm run migration` from the facts in packages/resources.

CREATE OR REPLACE TRIGGER record_event_of_creation AFTER INSERT ON "providers" FOR EACH ROW
  EXECUTE FUNCTION record_event_of_creation('provider', '{credentials,next_credentials,external_id}');
CREATE OR REPLACE TRIGGER record_event_of_change AFTER UPDATE ON "providers" FOR EACH ROW
  EXECUTE FUNCTION record_event_of_change('provider', '{credentials,next_credentials,external_id}', '{updated_at,next_credentials,next_role_arn}');

CREATE OR REPLACE TRIGGER record_event_of_creation AFTER INSERT ON "networks" FOR EACH ROW
  EXECUTE FUNCTION record_event_of_creation('network');
CREATE OR REPLACE TRIGGER record_event_of_change AFTER UPDATE ON "networks" FOR EACH ROW
  EXECUTE FUNCTION record_event_of_change('network', '{}', '{updated_at}');

CREATE OR REPLACE TRIGGER record_event_of_creation AFTER INSERT ON "subnets" FOR EACH ROW
  EXECUTE FUNCTION record_event_of_creation('subnet');
CREATE OR REPLACE TRIGGER record_event_of_change AFTER UPDATE ON "subnets" FOR EACH ROW
  EXECUTE FUNCTION record_event_of_change('subnet', '{}', '{updated_at}');

CREATE OR REPLACE TRIGGER record_event_of_creation AFTER INSERT ON "iam_roles" FOR EACH ROW
  EXECUTE FUNCTION record_event_of_creation('iam_role');
CREATE OR REPLACE TRIGGER record_event_of_change AFTER UPDATE ON "iam_roles" FOR EACH ROW
  EXECUTE FUNCTION record_event_of_change('iam_role', '{}', '{updated_at}');

CREATE OR REPLACE TRIGGER record_event_of_creation AFTER INSERT ON "environments" FOR EACH ROW
  EXECUTE FUNCTION record_event_of_creation('environment', '{internal_private_key}');
CREATE OR REPLACE TRIGGER record_event_of_change AFTER UPDATE ON "environments" FOR EACH ROW
  EXECUTE FUNCTION record_event_of_change('environment', '{internal_private_key}', '{updated_at}');

CREATE OR REPLACE TRIGGER record_event_of_creation AFTER INSERT ON "servers" FOR EACH ROW
  EXECUTE FUNCTION record_event_of_creation('server', '{authorized_keys}');
CREATE OR REPLACE TRIGGER record_event_of_change AFTER UPDATE ON "servers" FOR EACH ROW
  EXECUTE FUNCTION record_event_of_change('server', '{authorized_keys}', '{updated_at,keys_asked_at,authorized_keys,alternatives,leaving_zone,resizing}');

CREATE OR REPLACE TRIGGER record_event_of_creation AFTER INSERT ON "volumes" FOR EACH ROW
  EXECUTE FUNCTION record_event_of_creation('volume');
CREATE OR REPLACE TRIGGER record_event_of_change AFTER UPDATE ON "volumes" FOR EACH ROW
  EXECUTE FUNCTION record_event_of_change('volume', '{}', '{updated_at}');

CREATE OR REPLACE TRIGGER record_event_of_creation AFTER INSERT ON "addresses" FOR EACH ROW
  EXECUTE FUNCTION record_event_of_creation('address');
CREATE OR REPLACE TRIGGER record_event_of_change AFTER UPDATE ON "addresses" FOR EACH ROW
  EXECUTE FUNCTION record_event_of_change('address', '{}', '{updated_at}');

CREATE OR REPLACE TRIGGER record_event_of_creation AFTER INSERT ON "snapshots" FOR EACH ROW
  EXECUTE FUNCTION record_event_of_creation('snapshot');
CREATE OR REPLACE TRIGGER record_event_of_change AFTER UPDATE ON "snapshots" FOR EACH ROW
  EXECUTE FUNCTION record_event_of_change('snapshot', '{}', '{updated_at}');

CREATE OR REPLACE TRIGGER record_event_of_creation AFTER INSERT ON "firewalls" FOR EACH ROW
  EXECUTE FUNCTION record_event_of_creation('firewall');
CREATE OR REPLACE TRIGGER record_event_of_change AFTER UPDATE ON "firewalls" FOR EACH ROW
  EXECUTE FUNCTION record_event_of_change('firewall', '{}', '{updated_at}');

CREATE OR REPLACE TRIGGER record_event_of_creation AFTER INSERT ON "firewall_rules" FOR EACH ROW
  EXECUTE FUNCTION record_event_of_creation('firewall_rule');
CREATE OR REPLACE TRIGGER record_event_of_change AFTER UPDATE ON "firewall_rules" FOR EACH ROW
  EXECUTE FUNCTION record_event_of_change('firewall_rule', '{}', '{updated_at}');

CREATE OR REPLACE TRIGGER record_event_of_creation AFTER INSERT ON "auto_scaling_groups" FOR EACH ROW
  EXECUTE FUNCTION record_event_of_creation('auto_scaling_group');
CREATE OR REPLACE TRIGGER record_event_of_change AFTER UPDATE ON "auto_scaling_groups" FOR EACH ROW
  EXECUTE FUNCTION record_event_of_change('auto_scaling_group', '{}', '{updated_at,changing}');

CREATE OR REPLACE TRIGGER record_event_of_creation AFTER INSERT ON "database_services" FOR EACH ROW
  EXECUTE FUNCTION record_event_of_creation('database_service', '{password,next_password,next_password_sent}');
CREATE OR REPLACE TRIGGER record_event_of_change AFTER UPDATE ON "database_services" FOR EACH ROW
  EXECUTE FUNCTION record_event_of_change('database_service', '{password,next_password,next_password_sent}', '{updated_at,next_password,next_password_sent}');

CREATE OR REPLACE TRIGGER record_event_of_creation AFTER INSERT ON "database_servers" FOR EACH ROW
  EXECUTE FUNCTION record_event_of_creation('database_server', '{password}');
CREATE OR REPLACE TRIGGER record_event_of_change AFTER UPDATE ON "database_servers" FOR EACH ROW
  EXECUTE FUNCTION record_event_of_change('database_server', '{password}', '{updated_at}');

CREATE OR REPLACE TRIGGER record_event_of_creation AFTER INSERT ON "database_server_snapshots" FOR EACH ROW
  EXECUTE FUNCTION record_event_of_creation('database_server_snapshot');
CREATE OR REPLACE TRIGGER record_event_of_change AFTER UPDATE ON "database_server_snapshots" FOR EACH ROW
  EXECUTE FUNCTION record_event_of_change('database_server_snapshot', '{}', '{updated_at}');
