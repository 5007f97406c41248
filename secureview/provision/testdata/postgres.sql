-- Generated from a policy. Review this script, then run it as the administrator who is to own the
-- views. It can be run again.

-- The extension that decrypts.
CREATE EXTENSION IF NOT EXISTS pgcrypto WITH SCHEMA "public";

-- The account. It cannot log in: ALTER ROLE .. LOGIN, with a password or another credential, allows
-- it. All rights that it had in these schemas are revoked.
DO $qed$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'ag"ent''s') THEN
    CREATE ROLE "ag""ent's" NOLOGIN;
  END IF;
  EXECUTE pg_catalog.format('GRANT CONNECT ON DATABASE %I TO %I', pg_catalog.current_database(), 'ag"ent''s');
END
$qed$;
REVOKE ALL ON ALL TABLES IN SCHEMA "app" FROM "ag""ent's";
REVOKE ALL ON SCHEMA "app" FROM "ag""ent's";
REVOKE ALL ON ALL TABLES IN SCHEMA "arch`i""v'e" FROM "ag""ent's";
REVOKE ALL ON SCHEMA "arch`i""v'e" FROM "ag""ent's";
DO $qed$
DECLARE
  policy record;
BEGIN
  FOR policy IN SELECT schemaname, tablename, policyname FROM pg_catalog.pg_policies
    WHERE policyname IN ('qed_read_ag"ent''s', 'qed_filter_ag"ent''s') LOOP
    EXECUTE pg_catalog.format('DROP POLICY %I ON %I.%I', policy.policyname, policy.schemaname, policy.tablename);
  END LOOP;
END
$qed$;

-- Rights of everybody are rights of the account. Grant them by name to other roles that need them.
DO $qed$
BEGIN
  EXECUTE pg_catalog.format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', pg_catalog.current_database());
  IF pg_catalog.to_regnamespace('public') IS NOT NULL THEN
    REVOKE CREATE ON SCHEMA public FROM PUBLIC;
  END IF;
END
$qed$;
REVOKE CREATE ON SCHEMA "app" FROM PUBLIC;
REVOKE CREATE ON SCHEMA "arch`i""v'e" FROM PUBLIC;
REVOKE SELECT ON TABLE "app"."customer" FROM PUBLIC;
REVOKE SELECT ON TABLE "app"."employee" FROM PUBLIC;
REVOKE SELECT ON TABLE "app"."job" FROM PUBLIC;
REVOKE SELECT ON TABLE "app"."order" FROM PUBLIC;

-- The secure views. They read session settings themselves.
CREATE OR REPLACE VIEW "app"."secure_customer" WITH (security_barrier = true) AS
SELECT "id",
  "name",
  "public".pgp_sym_decrypt("phone", NULLIF(pg_catalog.current_setting('app.key', true), '')) AS "phone"
FROM "app"."customer"
WHERE CAST("tenantId" AS pg_catalog.text) = (SELECT NULLIF(pg_catalog.current_setting('app.tenant', true), ''))
  AND ((SELECT NULLIF(pg_catalog.current_setting('app.customer_ids', true), '')) IS NULL OR CAST("id" AS pg_catalog.text) = ANY (CAST((SELECT pg_catalog.array_remove(pg_catalog.string_to_array(pg_catalog.current_setting('app.customer_ids', true), ','), '')) AS pg_catalog.text[])));
CREATE OR REPLACE VIEW "app"."secure_employee" AS
SELECT "id",
  "name",
  "public".pgp_sym_decrypt("ssn", NULLIF(pg_catalog.current_setting('app.key', true), '')) AS "ssn",
  CAST("public".pgp_sym_decrypt("salary", NULLIF(pg_catalog.current_setting('app.key', true), '')) AS numeric(10,2)) AS "salary"
FROM "app"."employee";
CREATE OR REPLACE VIEW "app"."secure_job" AS
SELECT "id",
  "title"
FROM "app"."job";
CREATE OR REPLACE VIEW "app"."secure_order" WITH (security_barrier = true) AS
SELECT "id",
  "total"
FROM "app"."order"
WHERE CAST("customerId" AS pg_catalog.text) = ANY (CAST((SELECT pg_catalog.array_remove(pg_catalog.string_to_array(pg_catalog.current_setting('app.customer_ids', true), ','), '')) AS pg_catalog.text[]));

-- Row-level security of tables without a view. If a table had none, other roles see the same rows as
-- before.
CREATE POLICY "qed_filter_ag""ent's" ON "app"."dept" AS RESTRICTIVE FOR SELECT TO "ag""ent's"
  USING (((SELECT NULLIF(pg_catalog.current_setting('app.tenant', true), '')) IS NULL OR CAST("tenant id" AS pg_catalog.text) = (SELECT NULLIF(pg_catalog.current_setting('app.tenant', true), ''))));
CREATE POLICY "qed_read_ag""ent's" ON "app"."dept" FOR SELECT TO "ag""ent's" USING (true);
DO $qed$
BEGIN
  IF NOT (SELECT relrowsecurity FROM pg_catalog.pg_class WHERE oid = CAST('"app"."dept"' AS pg_catalog.regclass)) THEN
    DROP POLICY IF EXISTS qed_others ON "app"."dept";
    CREATE POLICY qed_others ON "app"."dept" USING (true) WITH CHECK (true);
    ALTER TABLE "app"."dept" ENABLE ROW LEVEL SECURITY;
  END IF;
END
$qed$;

-- What the account may read, and nothing else.
GRANT USAGE ON SCHEMA "app" TO "ag""ent's";
GRANT USAGE ON SCHEMA "arch`i""v'e" TO "ag""ent's";
GRANT SELECT ON TABLE "app"."secure_customer" TO "ag""ent's";
GRANT SELECT ("id", "name") ON TABLE "app"."dept" TO "ag""ent's";
GRANT SELECT ON TABLE "app"."secure_employee" TO "ag""ent's";
GRANT SELECT ON TABLE "app"."secure_job" TO "ag""ent's";
GRANT SELECT ON TABLE "app"."secure_order" TO "ag""ent's";
GRANT SELECT ("id", "to`t""al") ON TABLE "arch`i""v'e"."inv`oi""ce" TO "ag""ent's";
