SELECT * FROM orders ORDER BY id
SELECT id, amount * 1.19 AS gross FROM orders WHERE gross > 100 ORDER BY gross DESC, id
SELECT customer, sum(amount) AS total, count(*) AS n FROM orders GROUP BY customer ORDER BY total DESC
SELECT customer, sum(amount) AS total FROM orders GROUP BY customer HAVING total > 200 ORDER BY ALL
SELECT region, customer, sum(amount) FROM orders GROUP BY ALL ORDER BY ALL
SELECT region, status, count(*) FROM orders GROUP BY region, status ORDER BY ALL
SELECT region, status, count(*), grouping(region) FROM orders GROUP BY GROUPING SETS ((region), (status), (region, status), ()) ORDER BY ALL
SELECT region, status, sum(amount) FROM orders GROUP BY ROLLUP (region, status) ORDER BY ALL
SELECT region, status, sum(amount) FROM orders GROUP BY CUBE (region, status) ORDER BY ALL
SELECT region, sum(amount) FROM orders GROUP BY CUBE (region, REGION, status) ORDER BY ALL
SELECT region, day::VARCHAR, status::VARCHAR, count(*) FROM orders GROUP BY ROLLUP (1, day::VARCHAR, status::VARCHAR) ORDER BY ALL
SELECT 'x' AS l, region, count(*) FROM orders GROUP BY 1, region, orders.region ORDER BY ALL
SELECT 'x' AS l, region, count(*) FROM orders GROUP BY ROLLUP (1, 2) ORDER BY ALL
SELECT 'x' AS l, region, count(*) FROM orders GROUP BY CUBE (l, region) ORDER BY l || 'a', l IS NULL, region
SELECT 5 AS n, region, n + 1 AS m, count(*) + 5 FROM orders GROUP BY CUBE (n, region) HAVING n > 3 OR n IS NULL ORDER BY abs(n) NULLS FIRST, region
SELECT region, TRUE AS yes, count(*) FROM orders GROUP BY CUBE (TRUE, region) ORDER BY TRUE, yes, region
SELECT DISTINCT ON (l || 'a') 'x' AS l, region FROM orders GROUP BY CUBE (l, region) ORDER BY l || 'a', region
SELECT DISTINCT ON (l || 'a') 'x' AS l, id FROM orders ORDER BY id
SELECT DISTINCT ON (k % 2) -id AS k FROM orders ORDER BY k % 2, id
SELECT name, (SELECT count(*) FROM (SELECT c.country FROM orders GROUP BY ALL)) AS n FROM customers c ORDER BY name
SELECT name, (SELECT count(*) FROM (SELECT c.country, max(id) FROM orders WHERE id < 0 GROUP BY ALL)) AS n FROM customers c ORDER BY name
SELECT name, (SELECT count(*) FROM (SELECT c.country, status FROM orders GROUP BY ALL HAVING true)) AS n FROM customers c ORDER BY name
SELECT date_trunc('month', day) AS month, sum(amount) AS total FROM orders GROUP BY month ORDER BY month
SELECT date_trunc('month', day) AS month, sum(amount) AS total, total / count(*) AS mean FROM orders GROUP BY 1 ORDER BY 1
SELECT extract(year FROM day) AS y, quarter(day) AS q, avg(amount) FROM orders GROUP BY ALL ORDER BY ALL
SELECT id, customer, amount, row_number() OVER (PARTITION BY customer ORDER BY amount DESC, id) AS r FROM orders QUALIFY r <= 2 ORDER BY customer, r
SELECT id, rank() OVER w, dense_rank() OVER w, percent_rank() OVER w FROM orders WINDOW w AS (PARTITION BY region ORDER BY amount) ORDER BY id
SELECT id, sum(amount) OVER (ORDER BY day, id ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS moving FROM orders ORDER BY id
SELECT id, avg(amount) OVER (ORDER BY day RANGE BETWEEN INTERVAL 7 DAY PRECEDING AND INTERVAL 7 DAY FOLLOWING) FROM orders ORDER BY id
SELECT id, lag(amount, 1, 0) OVER (PARTITION BY customer ORDER BY id), lead(amount) OVER (ORDER BY id), first_value(amount) OVER (PARTITION BY region ORDER BY id) FROM orders ORDER BY id
SELECT id, last_value(note IGNORE NULLS) OVER (ORDER BY id) FROM orders ORDER BY id
SELECT id, count(*) OVER (ORDER BY amount GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE TIES) FROM orders ORDER BY id
SELECT count(*) FILTER (WHERE status = 'paid') AS paid, count(*) FILTER (status <> 'paid') AS unpaid FROM orders
SELECT DISTINCT region FROM orders ORDER BY region
SELECT DISTINCT ON (customer) customer, day, amount FROM orders ORDER BY customer, day DESC, id
SELECT quantile_cont(amount, 0.5), quantile_disc(amount, 0.9), median(amount), mode(region), stddev_samp(amount) FROM orders
SELECT quantile_cont(amount, [0.25, 0.5, 0.75]) FROM orders
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY amount) FROM orders
SELECT region, list(id ORDER BY id) AS ids, string_agg(status, ',' ORDER BY id) FROM orders GROUP BY region ORDER BY region
SELECT arg_max(customer, amount), min_by(id, day), any_value(1) FROM orders
SELECT histogram(region) FROM orders
SELECT approx_count_distinct(region) FROM orders
SELECT corr(amount, id), covar_samp(amount, id), regr_slope(amount, id) FROM orders
SELECT * EXCLUDE (note, tags, detail) FROM orders ORDER BY id
SELECT * EXCLUDE (note) REPLACE (amount * 2 AS amount) FROM orders ORDER BY id
SELECT o.* EXCLUDE (note) FROM orders o ORDER BY id
SELECT o.id, c.name, c.country FROM orders o JOIN customers c ON c.name = o.customer ORDER BY o.id
SELECT id, country FROM orders JOIN customers ON name = customer WHERE country IN ('DE', 'AT') ORDER BY id
SELECT c.name, count(o.id) FROM customers c LEFT JOIN orders o ON o.customer = c.name GROUP BY c.name ORDER BY ALL
SELECT * FROM customers c FULL JOIN orders o ON o.customer = c.name ORDER BY o.id NULLS FIRST, c.name
SELECT count(*) FROM orders, customers
SELECT count(*) FROM orders CROSS JOIN customers
SELECT q.ts, q.price, t.ts AS trade FROM trades t ASOF JOIN quotes q ON t.symbol = q.symbol AND t.ts >= q.ts ORDER BY trade
SELECT t.symbol, t.ts, price FROM trades t ASOF LEFT JOIN quotes q USING (symbol, ts) ORDER BY t.ts
SELECT * FROM trades ASOF JOIN quotes USING (symbol, ts) ORDER BY ts
SELECT t.ts, q.price FROM trades t ASOF LEFT JOIN quotes q ON t.ts >= q.ts AND q.price > 1 ORDER BY t.ts, q.price
SELECT t.ts, q.price FROM trades t ASOF JOIN quotes q ON t.symbol = q.symbol AND t.ts >= q.ts AND q.price > 1 ORDER BY t.ts
SELECT t.ts, q.price FROM trades t ASOF LEFT JOIN (SELECT * FROM quotes WHERE price > 1) q ON upper(q.symbol) = upper(t.symbol) AND q.ts <= t.ts WHERE t.symbol <> 'x' ORDER BY t.ts, q.price
SELECT 5. AS five, count(*) AS n FROM orders GROUP BY 5.
SELECT symbol, price, size FROM quotes JOIN trades USING (symbol) ORDER BY ALL
SELECT * FROM quotes JOIN trades USING (symbol) ORDER BY ALL
SELECT * FROM quotes NATURAL JOIN trades ORDER BY ALL
WITH monthly AS (SELECT month(day) AS m, sum(amount) AS s FROM orders GROUP BY m) SELECT m, s, s - lag(s) OVER (ORDER BY m) AS diff FROM monthly ORDER BY m
WITH a AS (SELECT * FROM orders), b AS MATERIALIZED (SELECT customer, sum(amount) AS s FROM a GROUP BY customer) SELECT * FROM b WHERE s > (SELECT avg(s) FROM b) ORDER BY s
WITH orders AS (SELECT 1 AS x) SELECT x FROM orders
WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 10) SELECT sum(n) FROM c
WITH RECURSIVE tree AS (SELECT id, parent, 0 AS depth FROM nodes WHERE parent IS NULL UNION ALL SELECT n.id, n.parent, depth + 1 FROM nodes n JOIN tree t ON n.parent = t.id) SELECT * FROM tree ORDER BY id
SELECT id, tags, tags[1], tags[-1], tags[1:2], len(tags), list_contains(tags, 'a') FROM orders ORDER BY id
SELECT id, list_transform(tags, t -> upper(t)) AS u, list_filter(tags, lambda t: t <> 'a') AS f FROM orders ORDER BY id
SELECT id, list_transform(tags, lambda t, i: t || i::VARCHAR) FROM orders ORDER BY id
SELECT id, [upper(t) FOR t IN tags IF t <> 'b'] FROM orders ORDER BY id
SELECT id, list_sort(tags), list_distinct(tags), array_to_string(tags, '-') FROM orders ORDER BY id
SELECT tag, count(*) FROM (SELECT unnest(tags) AS tag FROM orders) GROUP BY tag ORDER BY ALL
SELECT id, tag FROM orders, unnest(tags) AS u(tag) ORDER BY id, tag
SELECT id, t.tag FROM orders o, (SELECT unnest(o.tags) AS tag) t ORDER BY ALL
SELECT id, detail.color, detail.size AS s, o.detail.size + 1 FROM orders o ORDER BY id
SELECT orders.detail.color, count(*) FROM orders GROUP BY detail.color ORDER BY ALL
SELECT {'region': region, 'n': count(*)} AS s FROM orders GROUP BY region ORDER BY region
SELECT struct_pack(a := id, b := amount) FROM orders ORDER BY id
SELECT (struct_pack(a := id)).a, {'x': 1}.x, {'x': {'y': 2}}['x']['y'] FROM orders ORDER BY id
SELECT MAP {'a': 1, 'b': 2}['a'], map_keys(MAP {'k': 1})
SELECT * FROM generate_series(1, 5) g(x)
SELECT * FROM range(5)
SELECT * FROM range(DATE '2024-01-01', DATE '2024-02-01', INTERVAL 1 WEEK) r(d)
SELECT d, coalesce(sum(amount), 0) FROM generate_series(DATE '2024-01-01', DATE '2024-01-10', INTERVAL 1 DAY) g(d) LEFT JOIN orders ON day = d GROUP BY d ORDER BY d
SELECT * FROM range(3) WITH ORDINALITY AS t(x, n)
SELECT unnest([1, 2, 3]) AS x
SELECT generate_series(1, 3)
SELECT unnest(generate_series(DATE '2024-01-01', DATE '2024-01-31', INTERVAL 1 DAY)) AS d
SELECT unnest(range('2024-01-01'::DATE, '2024-12-31'::DATE, INTERVAL '1 month'))::DATE AS d
SELECT len(range(CURRENT_DATE - INTERVAL 30 DAY, CURRENT_DATE, INTERVAL 1 DAY)) AS n, range(5, -5, -2) AS l
SELECT * FROM (VALUES (1, 'a'), (2, 'b')) AS v(n, t)
VALUES (1, 2), (3, 4)
FROM orders SELECT id WHERE amount > 50 ORDER BY id
FROM customers ORDER BY ALL
SELECT region FROM orders UNION SELECT country FROM customers ORDER BY 1
SELECT region AS r FROM orders UNION ALL SELECT country FROM customers ORDER BY r
SELECT region FROM orders EXCEPT SELECT country FROM customers ORDER BY ALL
SELECT region FROM orders INTERSECT SELECT 'north' ORDER BY ALL
(SELECT id FROM orders ORDER BY amount DESC LIMIT 2) UNION ALL (SELECT id FROM orders ORDER BY amount, id LIMIT 2) ORDER BY 1
SELECT id FROM orders ORDER BY amount DESC, id LIMIT 3 OFFSET 2
SELECT id, CASE WHEN amount > 100 THEN 'big' WHEN amount > 50 THEN 'mid' ELSE 'small' END AS class FROM orders ORDER BY id
SELECT id, CASE region WHEN 'north' THEN 1 ELSE 0 END FROM orders ORDER BY id
SELECT id FROM orders WHERE note IS NULL OR note LIKE 'a%' ORDER BY id
SELECT id FROM orders WHERE note ILIKE '%URGENT%' AND NOT note SIMILAR TO 'x.*' ORDER BY id
SELECT id FROM orders WHERE note NOT LIKE 'a\_%' ESCAPE '\' ORDER BY id
SELECT id FROM orders WHERE region GLOB 'n*' ORDER BY id
SELECT id FROM orders WHERE regexp_matches(note, '^a.*t$') ORDER BY id
SELECT id FROM orders WHERE amount BETWEEN 50 AND 100 AND day >= DATE '2024-01-05' ORDER BY id
SELECT id FROM orders WHERE customer IN (SELECT name FROM customers WHERE country = 'DE') ORDER BY id
SELECT id FROM orders o WHERE EXISTS (SELECT 1 FROM customers c WHERE c.name = o.customer) ORDER BY id
SELECT id FROM orders o WHERE NOT EXISTS (SELECT 1 FROM customers c WHERE c.name = o.customer) ORDER BY id
SELECT id FROM orders WHERE customer NOT IN (SELECT name FROM customers) ORDER BY id
SELECT id FROM orders WHERE amount > ALL (SELECT amount FROM orders WHERE region = 'south') ORDER BY id
SELECT id FROM orders WHERE amount = ANY (SELECT max(amount) FROM orders GROUP BY region) ORDER BY id
SELECT id FROM orders o WHERE amount > (SELECT avg(amount) FROM orders x WHERE x.region = o.region) ORDER BY id
SELECT id FROM orders WHERE (region, status) IN (SELECT region, status FROM orders WHERE amount > 100) ORDER BY id
SELECT id FROM orders WHERE (region, status) = ('north', 'paid') ORDER BY id
SELECT id, amount::INTEGER, CAST(day AS VARCHAR), TRY_CAST(note AS INTEGER), amount::DECIMAL(10, 1) FROM orders ORDER BY id
SELECT TRY_CAST('x' AS INTEGER) IS NULL, '5'::INT + 1, 1e3, 1.50, -5, 0.05, 123456789012345678, TRUE, NULL
SELECT 7 // 2, 7 % 2, 2 ** 10, 2 ^ 3, 7 / 2, 5 & 3, 5 | 3, 1 << 4, ~5, xor(5, 3), -(-3), +2
SELECT 'a' || 'b', 'it''s', concat('a', 1), concat_ws('-', 'a', 'b'), upper('x'), length('abc'), left('abc', 2), 'x' || NULL
SELECT round(1.2345, 2), floor(1.5), ceil(1.2), abs(-1), sqrt(16), ln(2), power(2, 3), greatest(1, 2), least(1, 2)
SELECT DATE '2024-01-31' + INTERVAL 1 MONTH, date_diff('day', DATE '2024-01-01', DATE '2024-02-01'), dayname(DATE '2024-01-01'), strftime(DATE '2024-01-01', '%Y/%m')
SELECT TIMESTAMP '2024-01-01 10:00:00' - TIMESTAMP '2024-01-01 08:30:00', INTERVAL '1 year 2 days', TIME '10:00:00', INTERVAL (1 + 1) DAY
SELECT make_date(2024, 1, 2), last_day(DATE '2024-02-01'), time_bucket(INTERVAL 7 DAY, DATE '2024-01-10'), epoch(TIMESTAMP '2024-01-01')
SELECT current_date IS NOT NULL, current_timestamp IS NOT NULL, now() IS NOT NULL, today() IS NOT NULL
SELECT coalesce(NULL, 1), nullif(1, 1), ifnull(NULL, 2), if(true, 1, 2), 1 IS DISTINCT FROM 2, NULL IS NOT DISTINCT FROM NULL
SELECT true IS TRUE, false IS NOT FALSE, NULL IS UNKNOWN, NOT true
SELECT split_part('a-b', '-', 1), string_split('a,b', ','), regexp_replace('abc', 'b', 'x'), regexp_extract('a1b2', '[0-9]', 0), replace('aa', 'a', 'b')
SELECT trim('  a '), ltrim('xa', 'x'), substring('abc' FROM 2 FOR 1), position('b' IN 'abc'), lpad('a', 3, 'x'), reverse('abc'), repeat('ab', 2)
SELECT levenshtein('abc', 'abd'), jaccard('abc', 'abd'), md5('x'), hash(1) IS NOT NULL
SELECT json_extract('{"a": [1, 2]}', '$.a[1]'), '{"a": 1}'::JSON -> 'a', '{"a": "x"}'::JSON ->> 'a', json_array_length('[1, 2]')
SELECT customer AS k, sum(amount) AS v FROM orders GROUP BY k ORDER BY v DESC, k LIMIT 3
SELECT sum(amount) AS v, customer FROM orders GROUP BY customer ORDER BY v + 1 DESC, customer
SELECT id, amount AS a, a * 2 AS b, b + 1 AS c FROM orders ORDER BY c, id
SELECT region AS g, count(DISTINCT customer) AS n FROM orders GROUP BY g HAVING count(*) > 1 ORDER BY n, g
SELECT upper(region) AS region, count(*) FROM orders GROUP BY ALL ORDER BY ALL
SELECT x.a, x.b FROM (SELECT region AS a, count(*) AS b FROM orders GROUP BY region) x WHERE x.b > 1 ORDER BY ALL
SELECT "sum(amount)" FROM (SELECT sum(amount) FROM orders)
SELECT sum(n) FROM (SELECT count(*) AS n FROM orders GROUP BY region)
SELECT a, b FROM (SELECT id, region FROM orders) AS t(a, b) ORDER BY a
SELECT t.a FROM orders AS t(a) ORDER BY t.a
SELECT id, (SELECT count(*) FROM orders x WHERE x.customer = o.customer) AS n FROM orders o ORDER BY id
SELECT o.id, s.total FROM orders o, LATERAL (SELECT sum(amount) AS total FROM orders x WHERE x.customer = o.customer) s ORDER BY id
SELECT main.orders.id FROM main.orders ORDER BY 1
SELECT ORDERS.ID FROM Orders ORDER BY Id
SELECT max(amount) - min(amount) AS spread, sum(amount) / count(*) = avg(amount) FROM orders
SELECT region, amount, sum(amount) OVER (PARTITION BY region) AS total, amount / total AS share FROM orders ORDER BY ALL
SELECT customer, count_if(status = 'paid') AS paid, bool_and(amount > 0) FROM orders GROUP BY customer ORDER BY ALL
SELECT month(day) AS m, sum(CASE WHEN status = 'paid' THEN amount ELSE 0 END) AS paid FROM orders GROUP BY m ORDER BY m
SELECT printf('%s|', format('{}: {}', printf('%-10s|', customer), region)) AS label FROM orders ORDER BY ALL
SELECT id, customer.upper().left(2) AS x, orders.note.length() AS n, ('a' || region).reverse() AS r FROM orders ORDER BY id
SELECT region, amount.sum() AS total, status.string_agg('-') FILTER (WHERE false) AS s FROM orders GROUP BY region ORDER BY ALL
SELECT id, tags.list_transform(t -> t.upper()) AS u, tags.len() AS n FROM orders ORDER BY id
SELECT id, @(amount - 100) AS distance, @ -id AS i FROM orders ORDER BY id
SELECT id, format('{} {:>8}|{:.2f}|{{{}}}', customer, id, amount::DOUBLE, region) AS f, printf('%05d %-6s %.1f%%', id, status, amount::DOUBLE) AS p FROM orders ORDER BY id
SELECT coalesce(note, 'none') AS n, status, count(*) FROM orders GROUP BY ROLLUP (coalesce(note, 'none'), status) ORDER BY ALL
SELECT count(*) FROM orders GROUP BY ROLLUP (coalesce(note, 'x')), coalesce(status, 'y'), coalesce(region, orders.region), tags[1:2] ORDER BY ALL
SELECT note IS NULL AS b, {'k': id % 2}['k'] AS k, CASE WHEN id > 3 THEN 1 END AS c, count(*) FROM orders GROUP BY CUBE (note IS NULL, {'k': id % 2}['k'], CASE WHEN id > 3 THEN 1 END) ORDER BY ALL
SELECT (SELECT max(price) FROM quotes) AS top, count(*) FROM orders WHERE false GROUP BY ALL
SELECT to_json(detail) ->> 'color' AS c, to_json(tags) -> 0 AS f, to_json(tags) ->> (-1) AS l FROM orders ORDER BY id
SELECT typeof(.5) AS a, .5::VARCHAR AS b, typeof(00.50) AS c, typeof(-.05 * 0.5) AS d, typeof(1.) AS e, [.5, 0.05]::VARCHAR AS f
SELECT row(1, 'a') AS pair, id FROM orders ORDER BY id
