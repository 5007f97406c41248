package integration_test

var duckdbGrammar = grammar{
	name: "duckdb",
	types: map[genKind]string{
		integerColumn: "INTEGER", decimalColumn: "DECIMAL(10,2)", floatColumn: "DOUBLE", textColumn: "VARCHAR", dateColumn: "DATE", stampColumn: "TIMESTAMP",
		booleanColumn: "BOOLEAN", objectColumn: "JSON",
	},
	quotes:   []string{`""`},
	titles:   []string{`""`, "''"},
	strict:   true,
	standard: true,
	joins: []string{"JOIN", "INNER JOIN", "LEFT JOIN", "LEFT OUTER JOIN", "RIGHT JOIN", "FULL JOIN", "FULL OUTER JOIN",
		"ASOF JOIN", "ASOF LEFT JOIN"},
	setOps: []string{"UNION", "UNION ALL", "INTERSECT", "EXCEPT"},
	rollup: []string{"ROLLUP (#)", "CUBE (#)", "GROUPING SETS ((#), ())", "ROLLUP(#), ()", "GROUPING SETS (#, (#))"},
	limits: []string{"LIMIT #", "LIMIT # OFFSET ##", "OFFSET ## LIMIT #", "OFFSET ##", "LIMIT # OFFSET ##"},
	nulls:  true,
	literals: map[genKind][]string{
		integerColumn: {"0", "1", "2", "3", "5", "10", "-1", "1000", "1_000", "7::int", "CAST(4 AS integer)", "TRY_CAST('9' AS INTEGER)"},
		decimalColumn: {"1.5", "0.5", "100.0", "1e3", ".5", "5.", "1.25E-1", "-2.75", "1200", "10.5::DECIMAL(6,2)"},
		textColumn: {"'DE'", "'Anna'", "'it''s'", `E'it\'s'`, "''", "'Zoë'", "'open'", "'a'", "'100%'", "'42'", `'back\slash'`,
			"$$Ops$$", "$q$it's$q$", "'paid'::text", "CAST('x' AS varchar)", "'東京'"},
		dateColumn: {"DATE '2020-02-29'", "'2021-01-04'::date", "date '2020-07-01'", "CAST('2020-06-01' AS date)", "make_date(2020, 7, 1)",
			"strptime('01.02.2021', '%d.%m.%Y')::DATE"},
		stampColumn:   {"TIMESTAMP '2020-07-01 13:45:10'", "'2021-03-28'::timestamp", "make_timestamp(2021, 1, 1, 0, 0, 0)"},
		booleanColumn: {"TRUE", "FALSE", "true", "'t'::boolean"},
	},
	templates: map[genKind][]string{
		booleanColumn: genLines(commonConditions, `
			{c} IS NOT DISTINCT FROM NULL
			{n} IS DISTINCT FROM {N}
			{n} == {N}
			{ct} ILIKE {p}
			{t} NOT ILIKE {p}
			{ct} ~ {r}
			{t} !~ {r}
			regexp_matches({ct}, {r})
			{ct} SIMILAR TO '(a|b).*'
			{ct} GLOB {g}
			{ct} LIKE '%' || {T} || '%'
			{c} ISNULL
			{c} NOTNULL
			({b}) IS NOT FALSE
			contains({t}, {T})
			{ct}.contains({T})
			{ct}.lower().starts_with({T})
			@{i} < @ {n}
			starts_with({t}, {T})
			{t} ^@ {T}
			suffix({t}, {T})
			EXTRACT(YEAR FROM {cd}) = 2020
			year({d}) BETWEEN 2019 AND 2021
			date_trunc('month', {cd}) = DATE '2020-07-01'
			{cd} < CURRENT_DATE
			{cd} >= {D} - INTERVAL '1 month'
			{cd} >= {D} - INTERVAL 3 MONTHS
			{cs}::date = {D}
			{i} & {I} = {I}
			{n} > ALL ({li})
			{i} = ANY ({li})
			list_contains([{I}, {I}, {i}], {ci})
			{ci} = ANY ([{I}, {I}])
			{I} IN [{i}, {I}]
			{ct} IN ('open', 'paid')
			len(list_filter([{i}, {I}, {i}], x -> x > {I})) > 1
			{cj} ->> 'b' = {T}
			({cj} ->> 'a')::DOUBLE > {I}
			json_exists({cj}, '$.c')
			json_extract_string({cj}, {J}) = {T}
			{cj} ->> '$.c.d' IS NOT NULL
			json_array_length({cj} -> 'tags') > 0
			{i} % 2 = 0
			{ct} || {t} LIKE {T} || '%'
			{i} & {i} | {i} > {I} + {i}
			{i} << 1 + {u} <> {i}
			~ {i} % {I} < {i}
			NOT {ct} ~ {r} AND {b}
			({b}) IS NOT TRUE = ({b})
			({ci}, {ct}) < ({I}, {T})
			ROW({ci}, {ct}) = ROW({i}, {t})
			isfinite({cd})
			{i} = {I} AND {n} > {N} OR NOT {b}`),
		integerColumn: genLines(commonIntegers, `
			{i} | {i} & {I}
			xor({i}, {I})
			@{i}
			@ {i} - {I}
			- @ {ci} * @{i}
			{ct}.length()
			{cd}.year() + {ct}.strpos({T})
			~ {i}
			{i} // NULLIF({i}, 0)
			{i} // {I} * {i}
			mod({i}, {I})
			GREATEST({i}, {i}, {I})
			LEAST({i}, {I})
			strlen({t})
			strpos({t}, {T})
			position({T} IN {t})
			unicode({t})
			EXTRACT(YEAR FROM {d})
			date_part('month', {cd})
			datediff('day', {D}, {d})
			date_diff('month', {d}, {cd})
			{d} - {D}
			month({cd})
			isodow({d})
			TRY_CAST({t} AS INTEGER)
			TRY_CAST({cj} ->> 'a' AS DOUBLE)::int
			json_array_length({cj} -> 'tags')
			len([{i}, {I}])
			[{i}, {I}, {i}][{w}]
			list_sum([{i}, {I}])
			list_max(list_transform([{i}, {I}], x -> x * 2))
			len(string_split({t}, ' '))
			({b})::int
			{i}::bigint
			bit_count({i})
			IF({b}, {i}, {I})
			ifnull({ci}, {I})
			{'k': {i}, 'v': {t}}.k
			struct_extract({'k': {i}}, 'k')
			levenshtein({t}, {T})
			CAST({n} AS int)
			{i}::text::int`),
		decimalColumn: genLines(commonNumbers, `
			GREATEST({n}, {n})
			trunc({n})
			@{n}
			@{n} ^ 2 - @ {n} * {N}
			{cn}.round({u})
			{cn}::DECIMAL(12, 1)
			{cn}::DOUBLE
			power({i}, 2)
			{n} ^ 2
			- {n} ^ 2
			2 ** {u} ** 2
			{n} * {n} ^ 2 % 7
			{i} / {I}
			sqrt(abs({n}))
			EXTRACT(DAY FROM {d})
			epoch({cs})
			({cj} ->> 'a')::DOUBLE
			({cj} -> 'a')::DOUBLE
			{cn}::int / 2
			TRY_CAST({n} AS DECIMAL(8, 2))
			list_avg([{n}, {N}])
			CAST({n} AS double)`),
		textColumn: genLines(commonTexts, `
			{t} || {t}
			{ct} || ' ' || {ct}
			{ct} || ': ' || {i}
			{t} || ({i} + {i})
			{cj} -> 'c' ->> 'd' || {T}
			CONCAT({t}, {i}, {t})
			{ct}.upper()
			{ct}.replace({T}, {T}).substr({w}, {w})
			{ct}.lower() || {t}.upper()
			format('{}: {}', {t}, {i})
			format('{{{:>8}}}|{:5d}', {ct}, {i})
			format('{:.2f}', {n}::DOUBLE)
			format('{:,}', {i})
			printf('%s-%d', {t}, {i})
			printf('%05d %8.2f%%', {i}, {n}::DOUBLE)
			printf('%-10s|', {ct})
			concat_ws('-', {ct}, {ct}, {T})
			left({t}, {w})
			RIGHT({ct}, {w})
			SUBSTRING({t} FROM {w} FOR {w})
			{t}[{w}]
			{t}[1:{w}]
			split_part({ct}, '@', 1)
			string_split({ct}, 'a')[1]
			lpad({t}, 8, '0')
			strftime({cd}, '%Y-%m')
			strftime({cs}, '%H:%M')
			monthname({d})
			dayname({d})
			{cj} ->> {K}
			{cj} ->> {J}
			{cj} #>> '{c,d}'
			json_extract_string({cj}, {J})
			({cj} -> {K})::text
			reverse({t})
			regexp_replace({t}, {r}, '*', 'g')
			regexp_extract({t}, {r})
			translate({t}, 'abc', 'xyz')
			md5({t})
			GREATEST({t}, {T})
			COALESCE({ct}, {i}::text)
			{i}::text
			{n}::varchar
			{cd}::text
			array_to_string([{t}, {T}], ',')
			list_sort([{t}, {T}])[1]
			{'k': {i}, 'v': {t}}.v
			{'k': {i}, 'v': {t}}['v']
			MAP {{T}: {t}}[{T}]
			{'a': {i}, 'b': {t}}::text
			json_object('a', {i}, 'b', {t})::text
			to_json([{i}, {I}])::text
			json_type({cj}, {J})
			chr(65 + {u})
			{b}::text
			typeof({c})
			ifnull({ct}, {T})
			IF({b}, {T}, {t})
			ucase({t})
			strip_accents({t})`),
		dateColumn: genLines(commonDates, `
			({cd} + INTERVAL '1 month')::date
			({cd} + INTERVAL 1 MONTH)::date
			{cd} + {u}
			{d} - {u}
			{cs}::date
			date_trunc('month', {cd})::date
			last_day({d})
			CAST({cs} AS date)
			GREATEST({cd}, {D})
			({d} - INTERVAL '1 year 2 days')::date`),
		stampColumn: genLines(commonStamps, `
			{cs} - INTERVAL '90 minutes'
			{cs} + INTERVAL 1 DAY
			{cs} - to_hours({u})
			date_trunc('hour', {cs})
			time_bucket(INTERVAL '1 hour', {cs})
			{d}::timestamp
			{d} + TIME '10:00'
			date_add({cs}, INTERVAL 2 HOURS)`),
	},
	aggregates: map[genKind][]string{
		integerColumn: genLines(commonAggregateIntegers, `
			count()
			count_if({b})
			count(*) FILTER (WHERE {b})
			sum({ci}) FILTER ({b})
			bit_or({ci})
			quantile_disc({ci}, 0.5)
			percentile_disc(0.5) WITHIN GROUP (ORDER BY {ci})
			len(list({ci}))
			len(array_agg(DISTINCT {ci}))
			MAX(strlen({t}))
			(array_agg({ci} ORDER BY {=} DESC))[1]
			list_sort(list({ci}))[1]`),
		decimalColumn: genLines(commonAggregateNumbers, `
			stddev({ci})
			median({cn})
			quantile_cont({cn}, 0.5)
			percentile_cont(0.5) WITHIN GROUP (ORDER BY {cn})
			SUM({n}) FILTER (WHERE {b})
			ROUND(AVG({cn}), 2)
			var_pop({ci})
			sum({cn}) / count(*)
			corr({cn}, {ci})`),
		textColumn: genLines(`
			MIN({ct})
			MAX({t})
			string_agg({ct}, ', ' ORDER BY {=})
			list_sort(list(DISTINCT {ct}))[1]
			max({ct}) || min({ct})`),
		dateColumn: genLines(`
			MIN({cd})
			MAX({d})`),
		booleanColumn: genLines(`
			bool_and({b})
			bool_or({cb})`),
	},
	windows: map[genKind][]string{
		integerColumn: genLines(commonWindowIntegers, `
			count(*) FILTER (WHERE {b}) OVER (PARTITION BY {c})
			SUM({ci}) OVER (ORDER BY {n} GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW)
			sum({i}) OVER (ORDER BY {i} RANGE BETWEEN {w} PRECEDING AND {w} FOLLOWING EXCLUDE GROUP)`),
		decimalColumn: genLines(commonWindowNumbers, `
			median({cn}) OVER (PARTITION BY {c})`),
	},
	ordered: map[genKind][]string{
		integerColumn: genLines(commonOrderedIntegers, `
			LAG({ci} IGNORE NULLS) OVER ({o})
			FIRST_VALUE({ci} ORDER BY {n}) OVER ({o})`),
		decimalColumn: genLines(commonOrderedNumbers),
		textColumn:    genLines(commonOrderedTexts, `string_agg({ct}, ',') OVER ({o})`),
	},
	functions: []tableFunction{
		{text: "range(1, {w}) AS #", columns: []genColumn{{name: "range", kind: integerColumn}}},
		{text: "generate_series(1, {w}) AS #(n)", columns: []genColumn{{name: "n", kind: integerColumn}}},
		{text: "range(DATE '2020-01-01', DATE '2020-04-01', INTERVAL '1 month') AS #(month)", columns: []genColumn{{name: "month", kind: stampColumn}}},
		{text: "unnest(['open', 'paid']) AS #(status)", columns: []genColumn{{name: "status", kind: textColumn}}},
		{text: "(SELECT unnest([1, 2, 3]) AS v) AS #", columns: []genColumn{{name: "v", kind: integerColumn}}},
		{text: "LATERAL (SELECT {i} AS x, {t} AS y) AS #", columns: []genColumn{{name: "x", kind: integerColumn}, {name: "y", kind: textColumn}}, lateral: true},
		{text: "unnest(({cj} -> '$.tags')::VARCHAR[]) AS #(tag)", columns: []genColumn{{name: "tag", kind: textColumn}}, lateral: true},
	},
}
