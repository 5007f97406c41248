package integration_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/secureview"
)

// securedAttacks are statements of a hostile model. None must run.
var securedAttacks = map[string][]string{
	"both": {
		// Tables that have a view.
		"SELECT tenant_id FROM employee",
		"SELECT name FROM employee WHERE tenant_id = 2",
		"SELECT name FROM employee ORDER BY tenant_id",
		"SELECT count(*) FROM employee GROUP BY tenant_id",
		"SELECT max(tenant_id) FROM employee",
		"SELECT e.tenant_id FROM employee e",
		"SELECT employee.tenant_id FROM secure_employee AS employee",
		"SELECT (SELECT tenant_id FROM employee) AS t",
		"SELECT name FROM employee JOIN customer USING (tenant_id)",
		"SELECT pay FROM job",
		"SELECT note FROM workOrder",
		"SELECT budget FROM dept",
		"SELECT name FROM dept ORDER BY budget",
		"SELECT name FROM dept WHERE budget > 1",
		"WITH dept AS (SELECT * FROM dept) SELECT budget FROM dept",
		"SELECT d.budget FROM dept d NATURAL JOIN dept e",
		"SELECT tenant_id FROM secure_employee",
		"SELECT name FROM secure_employee WHERE tenant_id = 2",

		// Tables and columns that the policy does not list.
		"SELECT * FROM payroll",
		"SELECT name FROM employee UNION SELECT amount FROM payroll",
		"SELECT name FROM dept WHERE id IN (SELECT id FROM payroll)",
		"SELECT name FROM dept WHERE EXISTS (SELECT 1 FROM payroll)",
		"SELECT name FROM dept ORDER BY (SELECT amount FROM payroll)",
		"SELECT name, (SELECT amount FROM payroll) FROM dept",
		"SELECT name FROM dept LEFT JOIN payroll ON 1 = 1",
		"WITH p AS (SELECT * FROM payroll) SELECT 1 FROM dept",
		"WITH RECURSIVE p AS (SELECT amount FROM payroll UNION SELECT amount FROM p) SELECT * FROM p",
		"SELECT * FROM secure_payroll",
		"SELECT * FROM secure_dept",
		"SELECT * FROM secure_workOrders",
		"SELECT * FROM information_schema.tables",
		"SELECT view_definition FROM information_schema.views",
		"SELECT routine_definition FROM information_schema.routines",
		"TABLE payroll",

		// Several statements, and other statements.
		"SELECT 1; SELECT * FROM payroll",
		"SELECT 1; DROP TABLE payroll",
		"DELETE FROM customer",
		"UPDATE customer SET name = 'x'",
		"INSERT INTO dept VALUES (3, 'x', 1)",
		"CREATE TABLE x (id INT)",
		"CREATE VIEW x AS SELECT * FROM payroll",
		"DROP VIEW secure_employee",
		"GRANT SELECT ON payroll TO PUBLIC",
		"CALL p()",
		"EXPLAIN SELECT * FROM employee",
		"SELECT name FROM customer FOR UPDATE",
		"SELECT name INTO x FROM customer",
		"PREPARE x FROM 'SELECT 1'",
		"EXECUTE x",
		"BEGIN",
		"ROLLBACK",
		"COMMIT",
		"LOCK TABLES employee READ",
		"SHOW TABLES",
		"SELECT name FROM customer WHERE id = ?",
		"SELECT 1 /* ; */ ; SELECT 2",
		"",
		"-- nothing",
	},
	"mysql": {
		"SELECT @aesKey",
		"SELECT @`aesKey`",
		"SELECT @'aesKey'",
		"SELECT @\"aesKey\"",
		"SELECT @ aesKey",
		"SELECT @AESKEY AS k",
		"SELECT name FROM customer WHERE @aesKey LIKE 'a%'",
		"SELECT name FROM customer ORDER BY @aesKey",
		"SELECT CONCAT(name, @aesKey) FROM customer",
		"SELECT @tenant := 2",
		"SELECT name, @tenant := 2 FROM customer",
		"SELECT name FROM customer WHERE (@tenant := 2) = 2",
		"SELECT name INTO @tenant FROM customer LIMIT 1",
		"SELECT 2 INTO @tenant",
		"SET @tenant = 2",
		"SET @tenant = 2; SELECT * FROM employee",
		"SET SESSION tx_read_only = 0",
		"SELECT @@aesKey",
		"SELECT @@version",
		"SELECT @@global.secure_file_priv",
		"SELECT qed_aesKey()",
		"SELECT QED_AESKEY()",
		"SELECT `qed_aesKey`()",
		"SELECT qed_aesKey ()",
		"SELECT secured.qed_aesKey()",
		"SELECT `secured`.`qed_aesKey`()",
		"SELECT qed_tenant()",
		"SELECT qed_customerIds()",
		"SELECT name FROM customer WHERE name > qed_aesKey()",
		"SELECT name FROM customer GROUP BY qed_aesKey()",
		"SELECT AES_DECRYPT(name, 'x') FROM employee",
		"SELECT AES_ENCRYPT(name, 'x') FROM employee",
		"SELECT /*! @aesKey */ FROM dept",
		"SELECT 1 /*!50000 , @aesKey */",
		"SELECT 1 /*M! , @aesKey */ FROM payroll",
		"SELECT name FROM dept /*! UNION SELECT amount FROM payroll */ WHERE x",
		"SELECT * FROM secured.payroll",
		"SELECT * FROM `secured`.`payroll`",
		"SELECT * FROM mysql.user",
		"SELECT info FROM information_schema.processlist",
		"SELECT * FROM performance_schema.user_variables_by_thread",
		"SELECT * FROM performance_schema.events_statements_history",
		"SELECT LOAD_FILE('/etc/passwd')",
		"SELECT name FROM customer INTO OUTFILE '/tmp/x'",
		"SELECT name FROM customer INTO DUMPFILE '/tmp/x'",
		"SELECT SLEEP(10)",
		"SELECT BENCHMARK(1000000000, MD5('x'))",
		"SELECT GET_LOCK('x', 10)",
		"SELECT LAST_INSERT_ID(7)",
		"SELECT EXTRACTVALUE(1, CONCAT('~', name)) FROM employee",
		"SELECT UPDATEXML(1, CONCAT('~', name), 1) FROM employee",
		"SELECT name FROM employee PROCEDURE ANALYSE()",
		"SELECT name FROM customer PARTITION (p0)",
		"SELECT SQL_CALC_FOUND_ROWS name FROM payroll",
		"HANDLER payroll OPEN",
		"DO @tenant := 2",
		"KILL 1",
		"SELECT name FROM employee LOCK IN SHARE MODE",
	},
	"postgres": {
		"SELECT current_setting('app.key')",
		"SELECT current_setting('app.key', true)",
		"SELECT pg_catalog.current_setting('app.key')",
		`SELECT "current_setting"('app.key')`,
		`SELECT "pg_catalog"."current_setting"('app.key')`,
		"SELECT CURRENT_SETTING('app.key')",
		"SELECT name FROM customer WHERE current_setting('app.key') LIKE 'a%'",
		"SELECT * FROM current_setting('app.key') AS k",
		"SELECT * FROM customer, LATERAL current_setting('app.key') AS k",
		"SELECT * FROM ROWS FROM (current_setting('app.key')) AS k",
		"SELECT set_config('app.tenant', '2', false)",
		"SELECT pg_catalog.set_config('app.tenant', '2', true)",
		"SELECT name FROM customer WHERE set_config('app.tenant', '2', true) = '2'",
		"SET app.tenant = '2'",
		"SET LOCAL app.tenant = '2'; SELECT * FROM employee",
		"SET ROLE postgres",
		"RESET ALL",
		"SHOW app.key",
		"SHOW ALL",
		"SELECT setting FROM pg_settings",
		"SELECT setting FROM pg_catalog.pg_settings",
		"SELECT * FROM pg_show_all_settings()",
		"SELECT query FROM pg_stat_activity",
		"SELECT * FROM pg_stat_get_activity(NULL)",
		"SELECT rolpassword FROM pg_authid",
		"SELECT definition FROM pg_views",
		"SELECT pg_get_viewdef('app.secure_employee')",
		"SELECT query_to_xml('SELECT * FROM app.payroll', true, true, '')",
		"SELECT query_to_xml('SELECT current_setting(''app.key'')', true, true, '')",
		"SELECT table_to_xml('app.payroll', true, true, '')",
		"SELECT database_to_xml(true, true, '')",
		"SELECT cursor_to_xml('c', 1, true, true, '')",
		"SELECT * FROM ts_stat('SELECT to_tsvector(note) FROM app.payroll')",
		"SELECT ts_rewrite('a'::tsquery, 'SELECT 1')",
		"SELECT * FROM dblink('dbname=secured', 'SELECT 1') AS t(a int)",
		"SELECT crypto.pgp_sym_decrypt(ssn, 'x') FROM employee",
		"SELECT pgp_sym_decrypt(name::bytea, 'x') FROM employee",
		"SELECT pg_read_file('/etc/passwd')",
		"SELECT pg_ls_dir('/')",
		"SELECT lo_import('/etc/passwd')",
		"SELECT pg_sleep(10)",
		"SELECT pg_advisory_lock(1)",
		"SELECT pg_terminate_backend(1)",
		"SELECT pg_backend_pid()",
		"SELECT nextval('x')",
		"SELECT setseed(0.5)",
		"SELECT xmin, ctid, tableoid FROM dept",
		"SELECT ctid FROM visit",
		"SELECT tableoid::regclass FROM dept",
		"SELECT 'app.payroll'::regclass",
		"SELECT dept FROM dept",
		"SELECT d.*::text FROM dept d",
		"SELECT (d).budget FROM dept d",
		"SELECT row_to_json(d) FROM dept d",
		"SELECT to_jsonb(dept) FROM dept",
		"SELECT json_agg(visit) FROM visit",
		"SELECT visit::text FROM visit",
		"SELECT tenant_id FROM visit",
		"SELECT place FROM visit WHERE tenant_id = 2",
		"SELECT place FROM ONLY visit WHERE tenant_id = 2",
		"SELECT * FROM app.payroll",
		"SELECT * FROM ONLY payroll",
		`SELECT * FROM "app"."payroll"`,
		"SELECT * FROM pg_temp.employee",
		"SELECT 1 OPERATOR(app.+) 1",
		"COPY payroll TO STDOUT",
		"COPY (SELECT * FROM payroll) TO PROGRAM 'cat'",
		"DO $$ BEGIN PERFORM 1; END $$",
		"DECLARE c CURSOR FOR SELECT 1",
		"LISTEN x",
		"WITH x AS (DELETE FROM customer RETURNING *) SELECT * FROM x",
		"WITH x AS (INSERT INTO dept VALUES (9, 'x') RETURNING id) SELECT * FROM x",
		"WITH x AS (UPDATE customer SET name = 'x' RETURNING name) SELECT * FROM x",
		"SELECT name FROM customer TABLESAMPLE SYSTEM (100)",
		"SELECT name FROM customer FOR SHARE",
		"SELECT $1",
		"VALUES (current_setting('app.key'))",
	},
}

// TestSecureViewsAttacks checks that no statement of a hostile model reaches the engine.
func TestSecureViewsAttacks(t *testing.T) {
	onEach(t, func(t *testing.T, c *secured) {
		ctx := c.as(t, securedKey, 1, "1,2")
		for _, text := range append(securedAttacks["both"], securedAttacks[c.dialect.Name()]...) {
			stmt, err := c.guard.Rewrite(ctx, text)
			if err == nil {
				t.Errorf("%s is accepted: %s", text, stmt.SQL())
				continue
			}
			var e *refusal.Error
			if !errors.As(err, &e) {
				t.Errorf("%s: %T: %v", text, err, err)
			}
		}
	})
}

// TestSecureViewsSuspects checks statements that look hostile and are harmless.
func TestSecureViewsSuspects(t *testing.T) {
	onEach(t, func(t *testing.T, c *secured) {
		ctx := c.as(t, securedKey, 1, "1,2")
		for _, text := range []string{
			"SELECT * FROM employee",
			"TABLE employee",
			"SELECT * FROM secure_employee",
			"SELECT * FROM customer",
			"SELECT * FROM workOrder",
			"SELECT name FROM employee WHERE id = 3",
			"SELECT name FROM employee WHERE id = 3 OR 1 = 1",
			"SELECT name FROM employee WHERE id IN (1, 2, 3, 4)",
			"SELECT name FROM employee WHERE name = 'Eve' OR name LIKE '%'",
			"SELECT name FROM employee WHERE NOT EXISTS (SELECT 1 AS one FROM dept WHERE dept.id = employee.id)",
			"SELECT d.id, e.name FROM dept d LEFT JOIN employee e ON e.id = d.id + 2",
			"SELECT max(name), min(name), count(*) FROM employee",
			"SELECT name FROM employee UNION ALL SELECT name FROM customer",
			"SELECT name FROM customer WHERE id > 2 OR phone LIKE '555%'",
			"WITH employee AS (SELECT 'x' AS name) SELECT name FROM employee",
			"WITH payroll AS (SELECT id FROM dept) SELECT id FROM payroll",
			"SELECT secure_employee.name FROM dept AS secure_employee",
			"SELECT '@aesKey', 'current_setting(''app.key'')', '; DROP TABLE payroll --'",
			"SELECT name AS tenant_id FROM employee",
			"SELECT tenant_id FROM (SELECT 2 AS tenant_id) AS t",
			"SELECT name FROM employee ORDER BY salary LIMIT 1000000",
			"SELECT id, price FROM workOrder WHERE id = 3 OR customer_id = 12",
		} {
			rows, err := c.ask(ctx, text)
			if err != nil {
				t.Errorf("%s: %v", text, err)
			}
			for _, secret := range securedSecrets {
				if strings.Contains(rows, secret) {
					t.Errorf("%s tells %s: %s", text, secret, rows)
				}
			}
		}
	})
}

// TestSecureViewsOracles checks that the failure of a statement does not depend on hidden
// rows, which could be read bit by bit otherwise. Each statement fails on a row for which
// COND is true, and on no row that the session may see.
func TestSecureViewsOracles(t *testing.T) {
	fails := map[string][]string{
		"mysql": {
			"EXP(710 * (COND)) > 0",
			"9223372036854775807 + (COND) > 0",
			"(SELECT 1 AS one UNION ALL SELECT 2 FROM dept WHERE dept.id = 1 AND COND) = 1",
		},
		"postgres": {
			"1 / (CASE WHEN COND THEN 0 ELSE 1 END) = 1",
			"EXP(CASE WHEN COND THEN 10000 ELSE 1 END) > 0",
			"CAST(CASE WHEN COND THEN e.name ELSE '1' END AS INTEGER) > 0",
			"(SELECT 1 AS one UNION ALL SELECT 2 FROM dept WHERE dept.id = 1 AND COND) = 1",
		},
	}
	shapes := []string{
		"SELECT e.id FROM employee e WHERE FAILS",
		"SELECT e.id FROM employee e WHERE e.id = 3 AND FAILS",
		"SELECT e.id FROM employee e WHERE FAILS AND e.id = 3",
		"SELECT e.id FROM employee e WHERE e.id IN (3, 4) AND FAILS",
		"SELECT e.id FROM employee e WHERE e.id > 2 AND FAILS",
		"SELECT d.id FROM dept d LEFT JOIN employee e ON e.id = d.id + 2 AND FAILS",
		"SELECT d.id FROM dept d JOIN employee e ON e.id = d.id + 2 WHERE FAILS",
		"SELECT d.id FROM dept d WHERE EXISTS (SELECT 1 AS one FROM employee e WHERE e.id = d.id + 2 AND FAILS)",
		"SELECT count(*) FROM employee e GROUP BY FAILS",
		"SELECT e.id FROM employee e ORDER BY FAILS",
		"SELECT FAILS AS x FROM employee e WHERE e.id = 3",
	}
	onEach(t, func(t *testing.T, c *secured) {
		ctx := c.as(t, securedKey, 1, nil)
		for _, fail := range fails[c.dialect.Name()] {
			text := strings.ReplaceAll(shapes[0], "FAILS", strings.ReplaceAll(fail, "COND", "e.name = 'Ann'"))
			if rows, err := c.ask(ctx, text); err == nil {
				t.Errorf("%s does not fail: %s", text, rows) // otherwise this test proves nothing
			}
			for _, shape := range shapes {
				text := strings.ReplaceAll(shape, "FAILS", strings.ReplaceAll(fail, "COND", "e.name = 'Eve'"))
				if _, err := c.ask(ctx, text); err != nil && !errors.Is(err, secureview.ErrUnsupported) { // refused without reading rows
					t.Errorf("%s tells that there is an Eve: %v", text, err)
				}
			}
		}
	})
}
