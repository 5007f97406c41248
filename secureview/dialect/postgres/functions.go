package postgres

import "github.com/qedkit/qed/internal/wordset"

// tableFunctions are the functions with rows and columns of their own that are allowed
// in FROM, with the names of their columns. nil means one column with the name of the
// table's alias, as a function that returns a single value has in FROM. The columns of
// unnest depend on the type of its argument: see unnested.
var tableFunctions = map[string][]string{
	"generate_series": nil, "generate_subscripts": nil, "unnest": nil,
	"regexp_split_to_table": nil, "regexp_matches": nil,
	"string_to_table": nil, "json_object_keys": nil, "jsonb_object_keys": nil,
	"jsonb_path_query": nil, "jsonb_path_query_tz": nil,
	"json_array_elements": {"value"}, "json_array_elements_text": {"value"},
	"jsonb_array_elements": {"value"}, "jsonb_array_elements_text": {"value"},
	"json_each": {"key", "value"}, "json_each_text": {"key", "value"},
	"jsonb_each": {"key", "value"}, "jsonb_each_text": {"key", "value"},
	"json_to_record": nil, "json_to_recordset": nil, "jsonb_to_record": nil, "jsonb_to_recordset": nil,
}

// reserved are the keywords that cannot be names of functions without quotes.
var reserved = wordset.Of(`
	all analyse analyze and any array as asc asymmetric both case cast check collate column
	constraint create current_catalog current_date current_role current_time current_timestamp
	current_user default deferrable desc distinct do else end except false fetch for foreign from
	grant group having in initially intersect into lateral leading limit localtime localtimestamp
	not null offset on only or order placing primary references returning select session_user
	some symmetric system_user table then to trailing true union unique user using variadic when
	where window with between bigint bit boolean char character coalesce dec decimal exists
	extract float greatest grouping inout int integer interval json json_array json_arrayagg
	json_exists json_object json_objectagg json_query json_scalar json_serialize json_table
	json_value least merge_action national nchar none normalize nullif numeric out overlay
	position precision real row setof smallint substring time timestamp treat trim values varchar
	xmlattributes xmlconcat xmlelement xmlexists xmlforest xmlnamespaces xmlparse xmlpi xmlroot
	xmlserialize xmltable
`)

// callable are the reserved words that the grammar also reads as plain calls.
var callable = wordset.Of("substring json_object")
