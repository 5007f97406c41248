package integration_test

var mysqlGrammar = grammar{
	name: "mysql",
	types: map[genKind]string{
		integerColumn: "INT", decimalColumn: "DECIMAL(10,2)", floatColumn: "DOUBLE", textColumn: "VARCHAR(60)", dateColumn: "DATE", stampColumn: "DATETIME",
		booleanColumn: "BOOLEAN", objectColumn: "JSON",
	},
	quotes:  []string{"``"},
	titles:  []string{"``", `""`, "''"},
	escapes: true,
	joins:   []string{"JOIN", "INNER JOIN", "LEFT JOIN", "LEFT OUTER JOIN", "RIGHT JOIN", "CROSS JOIN"},
	setOps:  []string{"UNION", "UNION ALL", "UNION DISTINCT", "INTERSECT", "EXCEPT", "INTERSECT ALL", "EXCEPT ALL"},
	rollup:  []string{"# WITH ROLLUP"},
	limits:  []string{"LIMIT #", "LIMIT # OFFSET ##", "LIMIT ##, #"},
	literals: map[genKind][]string{
		integerColumn: {"0", "1", "2", "3", "5", "10", "-1", "0x1F", "007", "1000", "b'101'"},
		decimalColumn: {"1.5", "0.5", "100.0", "1e3", ".5", "1.25E-1", "-2.75", "1200"},
		textColumn: {"'DE'", "'Anna'", "'it''s'", `'it\'s'`, "''", "'Zoë'", `"open"`, "'a'", "'100%'", "'42'", `'back\\slash'`, "N'Ops'",
			"'東京'", "'Sa' 'les'", `"O'Neil"`},
		dateColumn:    {"'2020-02-29'", "'2021-01-04'", "DATE '2020-07-01'", "DATE('2020-01-01')", "'2020-1-1'", "20200701"},
		stampColumn:   {"'2020-07-01 13:45:10'", "TIMESTAMP '2021-01-01 00:00:00'", "'2021-03-28'"},
		booleanColumn: {"TRUE", "FALSE", "true", "1", "0"},
	},
	templates: map[genKind][]string{
		booleanColumn: genLines(commonConditions, `
			{c} <=> {c}
			{i} & {i} | {i} > {I} + {i} << {u}
			{i} ^ {I} * {i} <> {i}
			{n} < {N} = {n} > {N}
			{n} = {N} <> {n}
			! {n} = {N}
			NOT {n} + {n} XOR {b}
			{ct} NOT LIKE {p} AND NOT {ct} RLIKE {r} OR {b}
			{n} BETWEEN {N} AND {n} AND {b}
			~{i} % {I} < -{i}
			-{i} MOD 3 = {I} DIV 2
			BINARY {ct} LIKE {p}
			{ct} LIKE {p} COLLATE utf8mb4_bin
			{d} - INTERVAL 1 MONTH + INTERVAL {u} DAY <= {D}
			CASE {b} WHEN {n} > {N} THEN 1 ELSE {n} END
			NOT {n} <=> {N}
			{ct} REGEXP {r}
			{t} NOT REGEXP {r}
			{ct} RLIKE {r}
			{b} XOR {b}
			{b} && {b}
			{b} || {b}
			! {cb}
			{ct} LIKE CONCAT('%', {T}, '%')
			LOCATE({T}, {t}) > 0
			{ct} = BINARY {T}
			{t} COLLATE utf8mb4_bin = {T}
			BINARY {ct} = {T}
			YEAR({cd}) = 2020
			MONTH({d}) IN (1, 2, 7)
			{cd} < CURDATE()
			{cd} >= DATE_SUB({D}, INTERVAL {u} MONTH)
			{cs} BETWEEN {S} AND NOW()
			{i} & {I} = {I}
			{i} DIV 2 = {I}
			{n} > ALL ({li})
			{i} = ANY ({li})
			{i} <> SOME ({li})
			ISNULL({c})
			JSON_EXTRACT({cj}, {J}) = {I}
			JSON_UNQUOTE(JSON_EXTRACT({cj}, '$.b')) = {T}
			JSON_CONTAINS({cj}, '"red"', '$.tags')
			json_valid({cj})
			FIND_IN_SET({ct}, 'open,paid,DE') > 0
			STRCMP({t}, {T}) = 0
			{i} MOD 2 = 0
			{i} BETWEEN {i} AND {i} + {I}
			{n} IS NOT NULL IS TRUE
			({b}) IS UNKNOWN
			{t} LIKE {p} AND NOT {n} BETWEEN {N} AND {N}
			{d} + INTERVAL {u} DAY > {D}
			{n}`),
		integerColumn: genLines(commonIntegers, `
			{i} | {i} & {I}
			{i} ^ {I}
			{i} << {u}
			{i} DIV {I}
			{i} MOD {I}
			MOD({i}, {I})
			{b} + {b}
			{i} = {I}
			({b})
			IF({b}, {i}, {I})
			IFNULL({ci}, {I})
			LOCATE({T}, {t})
			INSTR({t}, {T})
			POSITION({T} IN {t})
			GREATEST({i}, {i}, {I})
			LEAST({i}, {I})
			CHAR_LENGTH({t})
			ASCII({t})
			YEAR({d})
			MONTH({cd})
			DAYOFWEEK({d})
			QUARTER({cd})
			EXTRACT(YEAR FROM {d})
			EXTRACT(YEAR_MONTH FROM {cd})
			DATEDIFF({d}, {D})
			TIMESTAMPDIFF(MONTH, {cd}, {D})
			TIMESTAMPDIFF(DAY, {d}, {d})
			HOUR({cs})
			JSON_LENGTH({cj}, '$.tags')
			JSON_VALUE({cj}, '$.a')
			FIELD({ct}, {T}, {T})
			WEEK({cd}, 3)
			TO_DAYS({d})
			UNIX_TIMESTAMP({cs})
			CAST({t} AS SIGNED)
			CONVERT({i}, UNSIGNED)
			INTERVAL({i}, 1, 5)`),
		decimalColumn: genLines(commonNumbers, `
			GREATEST({n}, {n})
			IFNULL({cn}, {N})
			TRUNCATE({n}, {u})
			CAST({cn} AS DECIMAL(10, 1))
			CAST({t} AS DECIMAL(8,2))
			POW({i}, 2)
			MOD({n}, {I})
			IF({b}, {n}, {N})
			CAST({n} AS DOUBLE)
			{cn} DIV 3
			CONVERT({n}, DECIMAL(12, 3))`),
		textColumn: genLines(commonTexts, `
			CONCAT({t}, {t})
			CONCAT({ct}, ' ', {ct})
			CONCAT({ct}, ': ', {i})
			CONCAT_WS('-', {ct}, {ct}, {T})
			IFNULL({ct}, {T})
			IF({b}, {T}, {t})
			LEFT({t}, {w})
			RIGHT({ct}, {w})
			SUBSTRING({t}, {w}, {w})
			SUBSTRING({t} FROM {w} FOR {w})
			MID({t}, {w}, {w})
			SUBSTRING_INDEX({ct}, '@', 1)
			LPAD({t}, 8, '0')
			RPAD({ct}, 6, '.')
			DATE_FORMAT({cd}, '%Y-%m')
			DATE_FORMAT({d}, '%W %e. %b %Y')
			DATE_FORMAT({cs}, '%H:%i')
			MONTHNAME({d})
			JSON_UNQUOTE(JSON_EXTRACT({cj}, {J}))
			JSON_VALUE({cj}, {J})
			JSON_EXTRACT({cj}, {J})
			JSON_OBJECT('a', {i}, 'b', {t})
			HEX({t})
			REVERSE({t})
			TRIM(BOTH 'a' FROM {t})
			TRIM(LEADING '0' FROM {t})
			ELT({w}, {t}, {T}, {T})
			FORMAT({n}, 2)
			REGEXP_REPLACE({t}, {r}, '*')
			REGEXP_SUBSTR({t}, {r})
			CONVERT({t} USING utf8mb4)
			INSERT({ct}, {w}, {w}, {T})
			CHAR(65 + {u})
			SPACE({w})
			QUOTE({t})
			GREATEST({t}, {T})
			{ct} COLLATE utf8mb4_unicode_ci
			COALESCE({ct}, {i})
			DATE_ADD({t}, INTERVAL 1 DAY)
			SEC_TO_TIME({i})`),
		dateColumn: genLines(commonDates, `
			DATE_ADD({cd}, INTERVAL {u} MONTH)
			DATE_SUB({d}, INTERVAL {w} DAY)
			{cd} + INTERVAL {u} DAY
			{d} - INTERVAL 1 YEAR
			DATE({cs})
			LAST_DAY({cd})
			CAST({cs} AS DATE)
			STR_TO_DATE('01.02.2021', '%d.%m.%Y')
			MAKEDATE(2020, {w})
			ADDDATE({d}, {u})
			GREATEST({cd}, {D})`),
		stampColumn: genLines(commonStamps, `
			DATE_SUB({cs}, INTERVAL 90 MINUTE)
			DATE_ADD({cs}, INTERVAL '1:30' MINUTE_SECOND)
			{cs} - INTERVAL {u} HOUR
			CAST({d} AS DATETIME)
			TIMESTAMP({d}, '10:00:00')`),
	},
	aggregates: map[genKind][]string{
		integerColumn: genLines(commonAggregateIntegers, `
			SUM({b})
			SUM(IF({b}, 1, 0))
			COUNT(IF({b}, 1, NULL))
			COUNT(DISTINCT {c}, {c})
			COUNT(DISTINCT {i})
			BIT_OR({ci})
			MAX(CHAR_LENGTH({t}))`),
		decimalColumn: genLines(commonAggregateNumbers, `
			STDDEV({ci})
			AVG({b})
			SUM(IF({b}, {cn}, 0))
			IFNULL(SUM({cn}), 0)
			SUM({b}) / COUNT(*) * 100
			VAR_POP({ci})`),
		textColumn: genLines(`
			MIN({ct})
			MAX({t})
			GROUP_CONCAT({ct} ORDER BY {=} SEPARATOR ', ')
			GROUP_CONCAT(DISTINCT {ct} ORDER BY {=} DESC)
			GROUP_CONCAT(DISTINCT {ci} ORDER BY {=})`),
		dateColumn: genLines(`
			MIN({cd})
			MAX({d})`),
	},
	windows: map[genKind][]string{
		integerColumn: genLines(commonWindowIntegers),
		decimalColumn: genLines(commonWindowNumbers),
	},
	ordered: map[genKind][]string{
		integerColumn: genLines(commonOrderedIntegers),
		decimalColumn: genLines(commonOrderedNumbers),
		textColumn:    genLines(commonOrderedTexts),
	},
}
