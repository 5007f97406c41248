package integration_test

var postgresGrammar = grammar{
	name: "postgres",
	types: map[genKind]string{
		integerColumn: "integer", decimalColumn: "numeric(10,2)", floatColumn: "double precision", textColumn: "text", dateColumn: "date",
		stampColumn: "timestamp", booleanColumn: "boolean", objectColumn: "jsonb",
	},
	quotes: []string{`""`},
	titles: []string{`""`},
	strict: true, standard: true,
	joins:  []string{"JOIN", "INNER JOIN", "LEFT JOIN", "LEFT OUTER JOIN", "RIGHT JOIN", "FULL JOIN", "FULL OUTER JOIN"},
	setOps: []string{"UNION", "UNION ALL", "INTERSECT", "EXCEPT", "INTERSECT ALL", "EXCEPT ALL", "UNION DISTINCT"},
	rollup: []string{"ROLLUP (#)", "CUBE (#)", "GROUPING SETS ((#), ())", "ROLLUP(#), ()", "GROUPING SETS (#, (#))"},
	limits: []string{"LIMIT #", "LIMIT # OFFSET ##", "OFFSET ## LIMIT #", "FETCH FIRST # ROWS ONLY",
		"OFFSET ## ROWS FETCH NEXT # ROWS ONLY", "LIMIT ALL", "OFFSET ##", "OFFSET ## FETCH FIRST # ROWS WITH TIES"},
	nulls: true,
	literals: map[genKind][]string{
		integerColumn: {"0", "1", "2", "3", "5", "10", "-1", "1000", "7::int", "CAST(4 AS integer)"},
		decimalColumn: {"1.5", "0.5", "100.0", "1e3", ".5", "5.", "1.25E-1", "-2.75", "1200", "10.5::numeric"},
		textColumn: {"'DE'", "'Anna'", "'it''s'", `E'it\'s'`, "''", "'Zoë'", "'open'", "'a'", "'100%'", "'42'", `'back\slash'`,
			"$$Ops$$", "$q$it's$q$", `U&'\6771\4EAC'`, "'paid'::text", "CAST('x' AS varchar)"},
		dateColumn: {"DATE '2020-02-29'", "'2021-01-04'::date", "date '2020-07-01'", "'2020-01-01'", "CAST('2020-06-01' AS date)",
			"make_date(2020, 7, 1)", "to_date('01.02.2021', 'DD.MM.YYYY')"},
		stampColumn:   {"TIMESTAMP '2020-07-01 13:45:10'", "'2021-03-28'::timestamp", "'2021-01-01 00:00'"},
		booleanColumn: {"TRUE", "FALSE", "true", "'t'::boolean"},
	},
	templates: map[genKind][]string{
		booleanColumn: genLines(commonConditions, `
			{c} IS NOT DISTINCT FROM NULL
			{n} IS DISTINCT FROM {N}
			{t} IS NOT DISTINCT FROM {T}
			{ct} ILIKE {p}
			{t} NOT ILIKE {p}
			{ct} ~ {r}
			{ct} ~* {r}
			{t} !~ {r}
			{ct} SIMILAR TO '%(a|b)%'
			{ct} LIKE '%' || {T} || '%'
			{c} ISNULL
			{c} NOTNULL
			({b}) IS UNKNOWN
			({b}) IS NOT FALSE
			position({T} IN {t}) > 0
			strpos({t}, {T}) > 0
			starts_with({t}, {T})
			EXTRACT(YEAR FROM {cd}) = 2020
			date_trunc('month', {cd}) = DATE '2020-07-01'
			{cd} < CURRENT_DATE
			{cd} >= {D} - INTERVAL '1 month'
			{cs} BETWEEN {S} AND now()
			{cs}::date = {D}
			{i} & {I} = {I}
			{n} > ALL ({li})
			{i} = ANY ({li})
			{i} <> SOME ({li})
			{ci} = ANY (ARRAY[{I}, {I}, {i}])
			{ct} = ANY (ARRAY['open', 'paid'])
			{ct} <> ALL ('{DE,FR}'::text[])
			{ct} LIKE ANY (ARRAY['%a%', 'O%'])
			{cj} ->> 'b' = {T}
			({cj} ->> 'a')::numeric > {I}
			{cj} @> '{"a": 1}'
			{cj} ? 'c'
			{cj} -> 'c' ->> 'd' IS NOT NULL
			jsonb_array_length({cj} -> 'tags') > 0
			{n} BETWEEN SYMMETRIC {N} AND {N}
			{i} % 2 = 0
			({d}, {d}) OVERLAPS (DATE '2020-01-01', DATE '2020-12-31')
			{t} COLLATE "C" < {T}
			{ct} ~~ {p}
			{ct} || {t} LIKE {T} || '%'
			{i} & {i} | {i} > {I} + {i}
			{i} # {I} << 1 + {u} <> {i}
			{cj} -> 'a' IS NULL AND {b}
			{t} ~ 'a' || 'b' AND {b}
			@ {i} - {I} > {i}
			~ {i} % {I} < {i}
			NOT {ct} ~ {r} AND {b}
			({b}) IS NOT TRUE = ({b})
			{cs} AT TIME ZONE 'UTC' > TIMESTAMPTZ '2020-07-01 00:00+00'
			({ci}, {ct}) < ({I}, {T})
			ROW({ci}, {ct}) = ROW({i}, {t})
			{i} = {I} AND {n} > {N} OR NOT {b}`),
		integerColumn: genLines(commonIntegers, `
			{i} | {i} & {I}
			{i} # {I}
			{i} << {u}
			~ {i}
			{i} / NULLIF({i}, 0)
			mod({i}, {I})
			GREATEST({i}, {i}, {I})
			LEAST({i}, {I})
			char_length({t})
			strpos({t}, {T})
			position({T} IN {t})
			ascii({t})
			EXTRACT(YEAR FROM {d})::int
			date_part('month', {cd})::int
			{d} - {D}
			{cd} - {cd}
			({cj} ->> 'a')::numeric::int
			jsonb_array_length({cj} -> 'tags')
			cardinality(ARRAY[{i}, {I}])
			(ARRAY[{i}, {I}, {i}])[{w}]
			array_length(string_to_array({t}, ' '), 1)
			({b})::int
			{i}::bigint
			@ {i}
			num_nulls({c}, {c})
			bit_length({t})
			CAST({n} AS int)
			{i}::text::int`),
		decimalColumn: genLines(commonNumbers, `
			GREATEST({n}, {n})
			trunc({n}::numeric, {u})
			{cn}::numeric(12, 1)
			{cn}::float8
			power({i}, 2)
			mod({i}, {I})
			{n} ^ 2
			- {n} ^ 2
			2 ^ {u} ^ 2
			{n} * {n} ^ 2 % 7
			|/ {i} + {I}
			sqrt(abs({n}))
			EXTRACT(DAY FROM {d})
			EXTRACT(EPOCH FROM {cs})
			({cj} ->> 'a')::numeric
			{cn}::int / 2
			date_part('year', age({d}, {D}))
			CAST({n} AS double precision)
			width_bucket({n}, 0, 100, 5)
			to_number({i}::text, '999')`),
		textColumn: genLines(commonTexts, `
			{t} || {t}
			{ct} || ' ' || {ct}
			{ct} || ': ' || {i}
			{t} || ({i} + {i})
			{t} || {i} + {i}
			{t} || -{i} || {T}
			{cj} -> 'c' ->> 'd' || {T}
			-{ci}::text
			{ct} || {t} COLLATE "C"
			CONCAT({t}, {i}, {t})
			concat_ws('-', {ct}, {ct}, {T})
			left({t}, {w})
			RIGHT({ct}, {w})
			SUBSTRING({t} FROM {w} FOR {w})
			substring({t}, {w})
			SUBSTRING({t} FROM '[a-z]+')
			split_part({ct}, '@', 1)
			lpad({t}, 8, '0')
			initcap({t})
			to_char({cd}, 'YYYY-MM')
			to_char({d}, 'Day DD Mon YYYY')
			to_char({cs}, 'HH24:MI')
			to_char({n}, 'FM999990.00')
			{cj} ->> {K}
			{cj} #>> '{c,d}'
			{cj} -> 'tags' ->> 0
			({cj} -> {K})::text
			reverse({t})
			TRIM(BOTH 'a' FROM {t})
			TRIM(LEADING '0' FROM {t})
			regexp_replace({t}, {r}, '*', 'g')
			translate({t}, 'abc', 'xyz')
			overlay({t} PLACING 'XX' FROM {w} FOR 1)
			format('%s (%s)', {t}, {i})
			md5({t})
			GREATEST({t}, {T})
			{ct} COLLATE "C"
			COALESCE({ct}, {i}::text)
			{i}::text
			{n}::varchar
			{cd}::text
			quote_literal({t})
			array_to_string(ARRAY[{t}, {T}], ',')
			(string_to_array({t}, ' '))[1]
			jsonb_typeof({cj} -> {K})
			json_build_object('a', {i}, 'b', {t})::text
			chr(65 + {u})
			{b}::text
			to_hex({i})`),
		dateColumn: genLines(commonDates, `
			({cd} + INTERVAL '1 month')::date
			{cd} + {u}
			{d} - {u}
			{cs}::date
			date_trunc('month', {cd})::date
			CAST({cs} AS date)
			GREATEST({cd}, {D})
			({d} - INTERVAL '1 year 2 days')::date`),
		stampColumn: genLines(commonStamps, `
			{cs} - INTERVAL '90 minutes'
			{cs} + INTERVAL '1' DAY
			date_trunc('day', {cs})
			{d}::timestamp
			{d} + TIME '10:00'
			{cs} + {u} * INTERVAL '1 hour'
			{cd} + make_interval(days => {u})`),
	},
	aggregates: map[genKind][]string{
		integerColumn: genLines(commonAggregateIntegers, `
			count(*) FILTER (WHERE {b})
			sum({ci}) FILTER (WHERE {b})
			COUNT(DISTINCT ({c}, {c}))
			bit_or({ci})
			mode() WITHIN GROUP (ORDER BY {ci})
			percentile_disc(0.5) WITHIN GROUP (ORDER BY {ci})
			cardinality(array_agg({ci}))
			MAX(char_length({t}))
			(array_agg({ci} ORDER BY {=} DESC))[1]`),
		decimalColumn: genLines(commonAggregateNumbers, `
			stddev({ci})
			percentile_cont(0.5) WITHIN GROUP (ORDER BY {cn})
			SUM({n}) FILTER (WHERE {b})
			AVG({cn})::numeric(10, 2)
			ROUND(AVG({cn})::numeric, 2)
			var_pop({ci})`),
		textColumn: genLines(`
			MIN({ct})
			MAX({t})
			string_agg({ct}, ', ' ORDER BY {=})
			STRING_AGG(DISTINCT {ct}, '; ')
			array_to_string(array_agg({ct} ORDER BY {=} DESC NULLS LAST), ',')
			json_agg({ci} ORDER BY {=})::text
			max({ct}) || min({ct})`),
		dateColumn: genLines(`
			MIN({cd})
			MAX({d})`),
		booleanColumn: genLines(`
			bool_and({b})
			bool_or({cb})
			every({b})`),
	},
	windows: map[genKind][]string{
		integerColumn: genLines(commonWindowIntegers, `
			count(*) FILTER (WHERE {b}) OVER (PARTITION BY {c})
			SUM({ci}) OVER (ORDER BY {n} GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW)
			sum({i}) OVER (ORDER BY {i} RANGE BETWEEN {w} PRECEDING AND {w} FOLLOWING EXCLUDE GROUP)`),
		decimalColumn: genLines(commonWindowNumbers),
	},
	ordered: map[genKind][]string{
		integerColumn: genLines(commonOrderedIntegers),
		decimalColumn: genLines(commonOrderedNumbers),
		textColumn:    genLines(commonOrderedTexts, `string_agg({ct}, ',') OVER ({o})`),
	},
	functions: []tableFunction{
		{text: "generate_series(1, {w}) AS #", columns: []genColumn{{name: "#", kind: integerColumn}}},
		{text: "generate_series(1, {w}) AS # (n)", columns: []genColumn{{name: "n", kind: integerColumn}}},
		{text: "generate_series(DATE '2020-01-01', DATE '2020-04-01', INTERVAL '1 month') AS # (month)", columns: []genColumn{{name: "month", kind: stampColumn}}},
		{text: "unnest(ARRAY['open', 'paid']) AS # (status)", columns: []genColumn{{name: "status", kind: textColumn}}},
		{text: "unnest(ARRAY[1, 2, 3]) WITH ORDINALITY AS # (v, ord)", columns: []genColumn{{name: "v", kind: integerColumn}, {name: "ord", kind: integerColumn}}},
		{text: "unnest(ARRAY[1, 2], ARRAY['open']) AS # (v, status)", columns: []genColumn{{name: "v", kind: integerColumn}, {name: "status", kind: textColumn}}},
		{text: "ROWS FROM (generate_series(1, {w}), unnest(ARRAY['open'], ARRAY[1, 2])) AS # (n, status, v)",
			columns: []genColumn{{name: "n", kind: integerColumn}, {name: "status", kind: textColumn}, {name: "v", kind: integerColumn}}},
		{text: "ROWS FROM (jsonb_each_text({cj}), generate_series(1, {ci})) WITH ORDINALITY AS #", lateral: true,
			columns: []genColumn{{name: "key", kind: textColumn}, {name: "value", kind: textColumn}, {name: "generate_series", kind: integerColumn}, {name: "ordinality", kind: integerColumn}}},
		{text: "jsonb_array_elements_text({cj} -> 'tags') AS # (tag)", columns: []genColumn{{name: "tag", kind: textColumn}}, lateral: true},
		{text: "jsonb_each_text({cj}) AS #", columns: []genColumn{{name: "key", kind: textColumn}, {name: "value", kind: textColumn}}, lateral: true},
		{text: "generate_series(1, {ci}) AS # (n)", columns: []genColumn{{name: "n", kind: integerColumn}}, lateral: true},
		{text: "LATERAL (SELECT {i} AS x, {t} AS y) AS #", columns: []genColumn{{name: "x", kind: integerColumn}, {name: "y", kind: textColumn}}, lateral: true},
	},
}
