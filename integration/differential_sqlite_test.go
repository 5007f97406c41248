package integration_test

var sqliteGrammar = grammar{
	name: "sqlite",
	types: map[genKind]string{
		integerColumn: "INTEGER", decimalColumn: "REAL", floatColumn: "REAL", textColumn: "TEXT", dateColumn: "TEXT", stampColumn: "TEXT",
		booleanColumn: "INTEGER", objectColumn: "TEXT",
	},
	quotes:   []string{`""`, "``", "[]"},
	titles:   []string{`""`, "``", "[]", "''"},
	brackets: true,
	joins:    []string{"JOIN", "INNER JOIN", "LEFT JOIN", "LEFT OUTER JOIN", "RIGHT JOIN", "FULL JOIN", "FULL OUTER JOIN", "CROSS JOIN"},
	setOps:   []string{"UNION", "UNION ALL", "INTERSECT", "EXCEPT"},
	limits:   []string{"LIMIT #", "LIMIT # OFFSET ##", "LIMIT ##, #", "LIMIT #", "LIMIT -1 OFFSET ##"},
	nulls:    true,
	functions: []tableFunction{
		{text: "json_each({cj}) AS #", columns: []genColumn{{name: "key", kind: textColumn}, {name: "value", kind: textColumn}}, lateral: true},
		{text: "json_each({cj}, '$.tags') #", columns: []genColumn{{name: "value", kind: textColumn}}, lateral: true},
		{text: "generate_series(1, {w}) AS #", columns: []genColumn{{name: "value", kind: integerColumn}}},
	},
	literals: map[genKind][]string{
		integerColumn: {"0", "1", "2", "3", "5", "10", "-1", "0x1F", "007", "1000"},
		decimalColumn: {"1.5", "0.5", "100.0", "1e3", ".5", "5.", "1.25E-1", "-2.75", "1200"},
		textColumn:    {"'DE'", "'Anna'", "'it''s'", "''", "'Zoë'", "'open'", "'a'", "'100%'", "'42'", `'back\slash'`, "'Ops'", "'東京'"},
		dateColumn:    {"'2020-02-29'", "'2021-01-04'", "date('2020-07-01')", "'2020-01-01'"},
		stampColumn:   {"'2020-07-01 13:45:10'", "datetime('2021-01-01')", "'2021-03-28'"},
		booleanColumn: {"TRUE", "FALSE", "true", "1", "0"},
	},
	templates: map[genKind][]string{
		booleanColumn: genLines(commonConditions, `
			{c} IS {c}
			{n} IS NOT {n}
			{c} IS NOT DISTINCT FROM {c}
			{t} IS DISTINCT FROM {T}
			{n} == {N}
			{ct} || {t} LIKE {T} || '%'
			{i} & {i} | {i} > {I} + {i} << {u}
			{n} < {N} = {n} > {N}
			{n} = {N} <> {b}
			{n} IS NULL IS NOT {c}
			~{i} % {I} < -{i}
			NOT {ct} GLOB {g} = {b}
			{n} BETWEEN {N} AND {n} = {b}
			{ct} LIKE {p} ESCAPE '!' || ''
			{ct} GLOB {g}
			{ct} NOT GLOB {g}
			{c} ISNULL
			({c} NOTNULL)
			({c} NOT NULL)
			{ct} LIKE '%' || {T} || '%'
			instr({t}, {T}) > 0
			{ct} = {T} COLLATE NOCASE
			{ct} COLLATE NOCASE IN ({T}, {T})
			{ct} || '' = {t}
			date({cs}) = {D}
			strftime('%Y', {cd}) = '2020'
			strftime('%m', {d}) BETWEEN '01' AND '06'
			{cd} < date('now')
			{i} & {I} = {I}
			{i} BETWEEN {i} AND {i} + {I} = {I}
			like({p}, {t})
			json_extract({cj}, {J}) > {I}
			{cj} ->> {J} = {T}
			json_valid({cj})
			{i} % 2 = 0
			min({i}, {i}) < {I}
			{n}
			typeof({c}) = 'text'`),
		integerColumn: genLines(commonIntegers, `
			{i} | {i} & {I}
			{i} << {u}
			~{i}
			{i} / {I}
			{i} >> 1 + {u}
			{b} + {b}
			{i} = {I}
			({b})
			iif({b}, {i}, {I})
			IFNULL({ci}, {I})
			instr({t}, {T})
			max({i}, {i}, {I})
			min({i}, {I})
			unicode({t})
			CAST(strftime('%Y', {d}) AS INTEGER)
			CAST(julianday({d}) - julianday({D}) AS INTEGER)
			strftime('%m', {cd}) + 0
			json_extract({cj}, {J})
			json_array_length({cj}, '$.tags')
			octet_length({t})
			unixepoch({cs})
			length({c})`),
		decimalColumn: genLines(commonNumbers, `
			max({n}, {n})
			ifnull({cn}, {N})
			{cn} * 1.0 / {i}
			julianday({d}) - julianday({D})
			CAST({t} AS REAL)
			{cj} -> {J}
			power({n}, 2)
			trunc({n})
			mod({n}, {I})
			printf('%.2f', {n})`),
		textColumn: genLines(commonTexts, `
			{t} || {t}
			{ct} || ' ' || {ct}
			{ct} || ': ' || {i}
			{t} || {i} + {i}
			{t} || -{i} || {T}
			-{ct} || {T}
			{t} || {ct} COLLATE NOCASE
			{cj} -> '$.c' ->> 'd' || {T}
			typeof({c})
			ifnull({ct}, {T})
			iif({b}, {T}, {t})
			substr({t}, -{w})
			substring({t}, {w}, {w})
			printf('%s-%d', {t}, {i})
			format('%05.2f', {n})
			quote({t})
			strftime('%Y-%m', {cd})
			strftime('%Y', {d})
			strftime('%H:%M', {cs})
			json_extract({cj}, {J})
			{cj} ->> {J}
			{cj} ->> 'b'
			hex({t})
			concat({t}, {i}, {t})
			concat_ws('-', {ct}, {ct})
			json_object('a', {i}, 'b', {t})
			json_type({cj}, {J})
			trim({t}, 'a')
			char(65 + {u})
			max({t}, {T})
			{ct} COLLATE NOCASE
			json_array({i}, {t})
			coalesce({ct}, {i})`),
		dateColumn: genLines(commonDates, `
			date({cd}, '+1 month')
			date({cd}, 'start of month', '+1 month', '-1 day')
			DATE({cs})
			date({d}, '-' || {u} || ' days')
			max({d}, {D})
			strftime('%Y-%m-01', {cd})`),
		stampColumn: genLines(commonStamps, `
			datetime({cs}, '-7 days')
			datetime({d})
			strftime('%Y-%m-%d %H:00', {cs})`),
	},
	aggregates: map[genKind][]string{
		integerColumn: genLines(commonAggregateIntegers, `
			count(*) FILTER (WHERE {b})
			SUM({b})
			total({ci})
			COUNT(DISTINCT {i})
			max(length({t}))`),
		decimalColumn: genLines(commonAggregateNumbers, `
			total({cn})
			SUM({n}) FILTER (WHERE {b})
			SUM({b}) * 1.0 / COUNT(*)
			avg({b})`),
		textColumn: genLines(`
			MIN({ct})
			max({t})
			group_concat({ct}, ', ' ORDER BY {=})
			string_agg({ct}, '; ' ORDER BY {=} DESC)
			json_group_array({ci} ORDER BY {=})`),
		dateColumn: genLines(`
			MIN({cd})
			max({d})`),
	},
	windows: map[genKind][]string{
		integerColumn: genLines(commonWindowIntegers, `
			count(*) FILTER (WHERE {b}) OVER (PARTITION BY {c})
			SUM({ci}) OVER (ORDER BY {n} GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW)
			sum({i}) OVER (ORDER BY {n} RANGE BETWEEN {w} PRECEDING AND {w} FOLLOWING EXCLUDE GROUP)`),
		decimalColumn: genLines(commonWindowNumbers),
	},
	ordered: map[genKind][]string{
		integerColumn: genLines(commonOrderedIntegers),
		decimalColumn: genLines(commonOrderedNumbers),
		textColumn:    genLines(commonOrderedTexts, `group_concat({ct}) OVER ({o})`),
	},
}
