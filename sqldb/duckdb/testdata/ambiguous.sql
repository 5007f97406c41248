# Names that could mean two things, and aliases in subqueries.
SELECT region, count(*), grouping(region), grouping(orders.region) FROM orders GROUP BY CUBE (region, orders.region, main.orders.region) ORDER BY ALL
SELECT region, region AS r, count(*) FROM orders GROUP BY GROUPING SETS ((region), (1), (2)) ORDER BY ALL
SELECT region, region AS r, count(*) FROM orders GROUP BY GROUPING SETS ((1), (orders.region), ()) HAVING r IS NULL ORDER BY ALL
SELECT day::VARCHAR, count(*) FROM orders GROUP BY ROLLUP (day::VARCHAR, orders.day::VARCHAR) ORDER BY ALL
SELECT region AS k, max(status) AS region FROM orders GROUP BY 1 HAVING region > 'n' ORDER BY 1
SELECT region AS k, max(status) AS region FROM orders GROUP BY GROUPING SETS ((orders.region), ()) HAVING region > 'n' ORDER BY 1
SELECT status AS orders, max(region) AS o FROM orders o GROUP BY status HAVING o > 'n' ORDER BY o DESC, orders
SELECT status, max(region) AS region FROM orders GROUP BY status HAVING region > 'n' ORDER BY 1
SELECT note COLLATE NOCASE AS n FROM orders WHERE note COLLATE NOCASE = 'ALERT' ORDER BY n COLLATE NOCASE
SELECT coalesce(note, status) AS n, count(*) FROM orders GROUP BY ROLLUP (coalesce(note, status), coalesce(orders.note, status)), coalesce(region, status) ORDER BY ALL
SELECT region AS r, count(*) FROM orders GROUP BY ROLLUP (r, status), region ORDER BY ALL
SELECT (SELECT count(*) FROM customers c WHERE c.name = o.customer) AS known, count(*) FROM orders o GROUP BY ALL ORDER BY ALL
SELECT EXISTS (SELECT 1 FROM customers c WHERE c.name = o.customer) AS known, sum(amount) FROM orders o GROUP BY ALL ORDER BY ALL
SELECT region, (SELECT max(o.amount)) AS top, (SELECT count(*) FROM customers) + count(*) AS n FROM orders o GROUP BY ALL ORDER BY ALL
SELECT 5 AS x, (SELECT x + 1) AS y, count(*) FROM orders WHERE false GROUP BY ALL
SELECT (SELECT string_agg(c.name, ',' ORDER BY c.name) FILTER (WHERE c.name < o.customer) FROM customers c) AS before, count(*) FROM orders o GROUP BY ALL ORDER BY ALL
SELECT id, upper(region) AS r, (SELECT count(*) FROM customers WHERE upper(country) < r) AS n FROM orders ORDER BY id
WITH RECURSIVE nodes AS (SELECT id FROM nodes WHERE id < 3), n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT * FROM nodes, n ORDER BY ALL
WITH RECURSIVE nodes AS (SELECT id FROM nodes UNION ALL SELECT id + 10 FROM nodes WHERE id < 3) SELECT * FROM nodes ORDER BY ALL
WITH RECURSIVE nodes AS (SELECT id FROM nodes UNION ALL SELECT id + 10 FROM nodes UNION ALL SELECT 99) SELECT * FROM nodes ORDER BY ALL
WITH RECURSIVE nodes AS (WITH n AS (SELECT id FROM nodes) SELECT 5 AS id UNION SELECT id + 10 FROM n) SELECT * FROM nodes ORDER BY ALL
SELECT id + 1 AS m, (SELECT max(n.id) FROM nodes n WHERE n.id = m) AS q FROM orders ORDER BY 1
SELECT region, count(*) FROM (SELECT id + 1 AS m, region FROM orders WHERE EXISTS (SELECT 1 FROM nodes n WHERE n.id = m)) GROUP BY region ORDER BY 1
