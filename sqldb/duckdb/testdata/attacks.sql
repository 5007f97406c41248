# Files and the network
SELECT * FROM read_csv('/etc/passwd')
SELECT * FROM read_csv_auto('/etc/passwd', sep=':')
SELECT * FROM read_text('/etc/passwd')
SELECT * FROM read_blob('/etc/*')
SELECT * FROM read_json('x.json')
SELECT * FROM read_json_auto('x.json')
SELECT * FROM read_ndjson_objects('x.json')
SELECT * FROM read_parquet('x.parquet')
SELECT * FROM parquet_scan('x.parquet')
SELECT * FROM parquet_metadata('x.parquet')
SELECT * FROM read_duckdb('x.duckdb', table_name='t')
SELECT * FROM sniff_csv('/etc/passwd')
SELECT * FROM glob('/*')
SELECT * FROM '/etc/passwd'
SELECT * FROM "/etc/passwd"
SELECT * FROM 'file.csv'
SELECT * FROM 'https://example.com/x.csv'
SELECT * FROM "x.parquet" AS orders
FROM 'file.csv'
SELECT * FROM orders, 'file.csv'
SELECT (SELECT count(*) FROM 'file.csv')
WITH f AS (FROM 'file.csv') SELECT * FROM f
SELECT * FROM arrow_scan(1, 2, 3)
SELECT * FROM seq_scan('secret')
COPY orders TO '/tmp/x.csv'
COPY (SELECT 1) TO '/tmp/x.csv'
EXPORT DATABASE '/tmp/x'
IMPORT DATABASE '/tmp/x'
ATTACH '/tmp/x.duckdb'
DETACH memory
INSTALL httpfs
LOAD httpfs
CREATE SECRET s (TYPE s3)
# Statements as text
SELECT * FROM query('SELECT * FROM secret')
SELECT * FROM query_table('secret')
SELECT * FROM query_table(['secret'])
SELECT * FROM json_execute_serialized_sql('{}')
SELECT json_serialize_sql('SELECT 1')
SELECT json_serialize_plan('SELECT * FROM secret')
SELECT json_deserialize_sql('{}')
SELECT * FROM sql_auto_complete('SEL')
EXECUTE p
PREPARE p AS SELECT 1
CALL pragma_version()
EXPLAIN SELECT 1
EXPLAIN ANALYZE SELECT * FROM secret
# Settings, catalogues, environment
SELECT * FROM duckdb_settings()
SELECT * FROM duckdb_tables()
SELECT * FROM duckdb_columns()
SELECT * FROM duckdb_views()
SELECT * FROM duckdb_secrets()
SELECT * FROM duckdb_variables()
SELECT * FROM duckdb_functions()
SELECT * FROM duckdb_logs
SELECT * FROM duckdb_table_sample('secret')
SELECT * FROM information_schema.tables
SELECT * FROM information_schema.columns
SELECT * FROM sqlite_master
SELECT * FROM sqlite_schema
SELECT * FROM pg_catalog.pg_tables
SELECT * FROM pg_class
SELECT * FROM system.information_schema.tables
SELECT * FROM pragma_table_info('secret')
SELECT * FROM pragma_storage_info('secret')
SELECT * FROM pragma_database_size()
SELECT * FROM summary((SELECT * FROM secret))
PRAGMA table_info('secret')
PRAGMA version
PRAGMA database_list
SHOW TABLES
SHOW ALL TABLES
DESCRIBE secret
SUMMARIZE secret
SUMMARIZE SELECT * FROM secret
SELECT * FROM (SHOW TABLES)
SELECT * FROM (DESCRIBE secret)
SELECT * FROM (SUMMARIZE secret)
SELECT getenv('HOME')
SELECT current_setting('memory_limit')
SELECT getvariable('x')
SELECT current_query()
SELECT current_database()
SELECT current_schema()
SELECT current_user
SELECT session_user
SELECT user
SELECT version()
SELECT txid_current()
SELECT has_table_privilege('secret', 'select')
SELECT pg_get_viewdef(1)
SELECT obj_description(1, 'x')
SELECT * FROM test_all_types()
SELECT parse_path('/a/b'), get_block_size('memory')
# Changes
INSERT INTO orders VALUES (1)
UPDATE orders SET amount = 0
DELETE FROM orders
MERGE INTO orders USING customers ON true WHEN MATCHED THEN DELETE
TRUNCATE orders
CREATE TABLE x AS SELECT 1
CREATE TEMP TABLE x AS SELECT * FROM secret
CREATE OR REPLACE TABLE orders AS SELECT 1
CREATE VIEW v AS SELECT * FROM secret
CREATE MACRO abs(x) AS 1
DROP TABLE orders
ALTER TABLE orders ADD COLUMN x INT
SET memory_limit = '100GB'
SET VARIABLE x = 1
RESET memory_limit
USE main
CHECKPOINT
VACUUM
BEGIN
COMMIT
UPDATE EXTENSIONS
SELECT nextval('s')
SELECT setseed(0.5)
SELECT write_log('x')
SELECT error('x')
SELECT sleep_ms(100000)
SELECT pg_sleep(10)
WITH x AS (INSERT INTO orders VALUES (1) RETURNING *) SELECT * FROM x
WITH x AS (DELETE FROM orders RETURNING *) SELECT * FROM x
# Several statements
SELECT 1; SELECT 2
SELECT 1; DROP TABLE orders
SELECT 1; PRAGMA version
; ; SELECT 1; SET threads = 1
# Hidden tables and columns
SELECT * FROM secret
SELECT * FROM main.secret
SELECT * FROM memory.main.secret
SELECT * FROM shop.main.orders
SELECT * FROM "secret"
SELECT * FROM SECRET
SELECT hidden FROM orders
SELECT orders.hidden FROM orders
SELECT o.hidden FROM orders o
SELECT "HIDDEN" FROM orders
SELECT rowid FROM orders
SELECT orders.rowid FROM orders
SELECT id FROM orders WHERE hidden = 'h1'
SELECT id FROM orders ORDER BY hidden
SELECT count(*) FROM orders GROUP BY hidden
SELECT id FROM orders QUALIFY row_number() OVER (ORDER BY hidden) = 1
SELECT sum(id) OVER (PARTITION BY hidden) FROM orders
SELECT orders FROM orders
SELECT o FROM orders o
SELECT struct_pack(x := orders) FROM orders
SELECT to_json(orders) FROM orders
SELECT row_to_json(o) FROM orders o
SELECT (orders).hidden FROM orders
SELECT orders['hidden'] FROM orders
SELECT COLUMNS('hidden') FROM orders
SELECT COLUMNS(*) FROM orders
SELECT max(COLUMNS(*)) FROM orders
SELECT COLUMNS(c -> c LIKE 'hid%') FROM orders
SELECT * LIKE 'hid%' FROM orders
SELECT * SIMILAR TO 'hid.*' FROM orders
SELECT struct_pack(*COLUMNS(*)) FROM orders
SELECT coalesce(*COLUMNS(*)) FROM orders
SELECT * REPLACE (hidden AS id) FROM orders
SELECT * EXCLUDE (hidden) FROM orders
SELECT * RENAME (hidden AS id) FROM orders
SELECT a.x FROM orders AS a(x, b, c, d, e, f, g, h, i, j)
SELECT id FROM orders JOIN secret ON true
SELECT id FROM orders WHERE EXISTS (SELECT 1 FROM secret)
SELECT id FROM orders WHERE id IN (SELECT v FROM secret)
SELECT id FROM orders WHERE id IN (FROM secret)
SELECT (SELECT max(v) FROM secret)
SELECT ARRAY(SELECT v FROM secret)
SELECT id FROM orders, LATERAL (SELECT hidden) s
WITH orders AS (SELECT * FROM secret) SELECT * FROM orders
WITH x AS (SELECT * FROM y), y AS (SELECT 1) SELECT * FROM secret
WITH RECURSIVE r AS (SELECT k FROM secret UNION ALL SELECT k FROM r) SELECT * FROM r
WITH secret AS (SELECT 1 AS a) SELECT * FROM main.secret
SELECT * FROM orders UNION ALL SELECT *, 1 FROM secret
(SELECT v FROM secret) UNION (SELECT 1)
SELECT * FROM (SELECT * FROM secret)
SELECT * FROM (FROM secret)
FROM secret
FROM orders JOIN secret USING (id)
SELECT * FROM orders SEMI JOIN secret ON true
SELECT * FROM orders ANTI JOIN secret ON true
SELECT * FROM orders POSITIONAL JOIN secret
SELECT * FROM orders ASOF JOIN secret ON id >= v
SELECT id FROM orders NATURAL JOIN secret
SELECT id FROM orders ORDER BY (SELECT v FROM secret)
SELECT id FROM orders LIMIT (SELECT v FROM secret)
SELECT id FROM orders USING SAMPLE (SELECT v FROM secret)
VALUES ((SELECT v FROM secret))
SELECT list_transform([1], x -> (SELECT v FROM secret))
SELECT list_filter(tags, lambda t: t = hidden) FROM orders
SELECT unnest((SELECT list(v) FROM secret))
SELECT * FROM unnest((SELECT list(v) FROM secret))
SELECT * FROM generate_series(1, (SELECT v FROM secret))
PIVOT secret ON k USING sum(v)
SELECT * FROM secret PIVOT (sum(v) FOR k IN ('key'))
UNPIVOT secret ON k
SELECT * FROM orders AT (VERSION => 1)
SELECT tenant FROM employee
SELECT * FROM employee WHERE tenant = 2
# Functions
SELECT list_reduce([1, 2], lambda x, y: x || y)
SELECT list_aggregate([1], 'string_agg', 'x')
SELECT main.foo(1)
SELECT other.abs(1)
SELECT memory.main.abs(1)
SELECT nosuchfunction(1)
SELECT 'x'.getenv()
SELECT json_transform('{}', '{}')
SELECT make_type('INTEGER')
SELECT list_transform([1], x -> list_transform([1], y -> x + y))
SELECT 1::nosuchtype
SELECT 'a'::ENUM('a', 'b')
SELECT ?
SELECT $1
SELECT $name
SELECT #1
# Costs
SELECT repeat('x', 1000000000)
SELECT repeat(repeat('x', 10000), 10000)
SELECT lpad('x', 1000000000, 'y')
SELECT bar(1, 0, 1, 1000000000)
SELECT range(1000000000)
SELECT generate_series(1, 1000000000)
SELECT * FROM range(1000000000000)
SELECT * FROM range(1000000) a, range(1000000) b
SELECT * FROM generate_series(1, 100000) a, generate_series(1, 100000) b
SELECT unnest(range(1000000000))
SELECT range(amount::BIGINT) FROM orders
SELECT unnest(generate_series(1, id)) FROM orders
SELECT printf('%1000000000d', 1)
SELECT format('{:1000000000}', 1)
SELECT list_resize([1], 1000000000)
SELECT array_resize([1], 1000000000)
SELECT replace(replace(replace(repeat('a', 1000), 'a', repeat('b', 1000)), 'b', repeat('c', 1000)), 'c', 'dd')
SELECT list_transform(range(100000), x -> repeat('a', 60000))
SELECT levenshtein(repeat('a', 60000), repeat('b', 60000))
SELECT a.id FROM orders a, orders b, orders c, orders d, orders e, orders f, orders g, orders h, orders i, orders j, orders k, orders l, orders m, orders n, orders o, orders p, orders q, orders r, orders s, orders t, orders u
SELECT id, count(*) FROM orders GROUP BY CUBE (id, customer, region, status, day, amount, note, tags, detail)
SELECT (repeat('[', 900) || repeat(']', 900)) -> '$..*' -> '$..*'
SELECT (repeat('[', 900) || repeat(']', 900))::JSON ->> ('$..' || '*')
SELECT region ->> '$..*' ->> '$..*' ->> '$..*' FROM orders
SELECT customers.hidden FROM orders SEMI JOIN customers ON name = customer
SELECT (SELECT orders.hidden FROM customers SEMI JOIN orders ON true) FROM orders
SELECT id, (SELECT count(*) FROM customers c SEMI JOIN (SELECT 'h3' AS hidden) x ON true SEMI JOIN nodes n ON x.hidden = 'h3') AS k FROM orders x
SELECT id, (SELECT count(*) FROM customers c ANTI JOIN (SELECT 'h3' AS hidden) x ON true SEMI JOIN nodes n ON EXISTS (SELECT 1 WHERE x.hidden = 'h3')) AS k FROM orders x
