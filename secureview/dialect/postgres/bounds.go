package postgres

import (
	"github.com/qedkit/qed/internal/sqlbound"
	"github.com/qedkit/qed/internal/sqlbound/shape"
)

// Bounds returns what PostgreSQL cannot bound while a statement runs.
func (Dialect) Bounds() *sqlbound.Rules { return &bounds }

// bounds has the functions that a statement may call. It does not have functions that:
//
//   - wait or lock: pg_sleep, pg_advisory_lock
//   - read files, settings, catalogues or the state of other statements: pg_*,
//     current_setting, to_regclass, has_table_privilege, txid_current, version,
//     inet_server_addr
//   - run SQL: query_to_xml, ts_stat, ts_rewrite, dblink
//   - have side effects: set_config, setseed, nextval, lo_*
//   - return much more than their arguments: factorial
//
// Regular expressions are allowed: they can take long, but the server's time limit
// applies to them.
var bounds = sqlbound.Rules{
	Shape:     shape.Rules{SharedCTEs: true, PlansOrders: true, Recursion: shape.LimitOutside},
	Exponents: true,
	Functions: sqlbound.Functions(`
		small: count bool_and bool_or every corr covar_pop covar_samp regr_avgx regr_avgy regr_count
		small: regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy percentile_cont grouping
		small: row_number rank dense_rank percent_rank cume_dist ntile num_nulls num_nonnulls
		product: percentile_disc
		longest: min max any_value mode range_intersect_agg bit_and bit_or
		longest: bit_xor lag lead first_value last_value nth_value coalesce greatest least
		sum: nullif

		small: acos acosd acosh asin asind asinh atan atan2 atan2d atand atanh bit_count cos cosd cosh
		small: cot cotd degrees erf erfc min_scale pi radians random scale sign sin sind sinh tan tand
		small: tanh width_bucket int2 int4 int8 float4 float8
		sum: abs ceil ceiling floor trim_scale
		square: sum avg stddev stddev_pop stddev_samp variance var_pop var_samp
		square: cbrt ln log log10 sqrt div gcd lcm mod
		digits: round trunc
		power: power pow exp

		small: age clock_timestamp date date_add date_bin date_part date_subtract date_trunc extract
		small: isfinite justify_days justify_hours justify_interval make_date make_interval make_time
		small: make_timestamp make_timestamptz now overlaps statement_timestamp timeofday timezone
		small: to_date to_timestamp transaction_timestamp
		sum: to_number
		sum 16: to_char

		small: ascii bit_length char_length character_length chr get_bit get_byte length md5
		small: octet_length sha224 sha256 sha384 sha512 starts_with to_bin to_hex to_oct
		small needle 1: position
		small needle 2: strpos regexp_count regexp_instr regexp_like
		sum: casefold initcap lower reverse text to_ascii unistr upper
		sum needle 2 slow: btrim ltrim rtrim
		sum needle 2: split_part string_to_table regexp_split_to_table regexp_substr
		cut 2: left right
		cut 3 needle 2: substr substring
		sum: concat decode overlay
		sum 2: quote_ident quote_literal quote_nullable
		sum 4: convert convert_from convert_to encode
		sum 4 needle 2 slow: translate
		sum 8: parse_ident
		sum 8 needle 2: regexp_split_to_array string_to_array
		product needle 2: regexp_match regexp_matches
		join: concat_ws
		format: format
		pad 2: lpad rpad
		repeat 2 policy: repeat array_fill
		replace needle 2: replace
		regexp needle 2: regexp_replace

		small: array_dims array_length array_lower array_ndims array_position array_upper cardinality
		small: generate_subscripts
		longest: generate_series unnest
		sum: array_remove array_reverse array_sort trim_array
		sum: array_append array_cat array_positions array_prepend
		replace: array_replace
		product: array_to_string

		small: json_array_length json_typeof jsonb_array_length jsonb_exists jsonb_typeof
		small either: jsonb_contained jsonb_contains jsonb_exists_all jsonb_exists_any
		small needle 2: jsonb_path_exists jsonb_path_exists_tz jsonb_path_match jsonb_path_match_tz
		sum: json_array_element json_array_elements json_array_elements_text json_each json_each_text
		sum: json_extract_path json_extract_path_text json_object_keys json_strip_nulls
		sum: json_to_record json_to_recordset jsonb_array_elements jsonb_array_elements_text
		sum: jsonb_delete_path jsonb_each jsonb_each_text jsonb_extract_path
		sum: jsonb_extract_path_text jsonb_object_keys jsonb_strip_nulls jsonb_to_record
		sum: jsonb_to_recordset
		sum either: jsonb_delete
		sum: jsonb_concat
		sum 4: json_object jsonb_object
		json: array_to_json json_build_array json_build_object jsonb_build_array jsonb_build_object
		json: jsonb_insert jsonb_set jsonb_set_lax row_to_json to_json to_jsonb
		paths needle 2: jsonb_path_query jsonb_path_query_array jsonb_path_query_array_tz
		paths needle 2: jsonb_path_query_first jsonb_path_query_first_tz jsonb_path_query_tz
		pretty: jsonb_pretty

		sum: int4range int8range numrange tsrange tstzrange daterange range_merge multirange
		small: isempty lower_inc lower_inf upper_inc upper_inf
		small: abbrev broadcast family host hostmask inet_merge inet_same_family masklen netmask network
		small: set_masklen

		small: numnode
		small either: ts_rank ts_rank_cd
		sum: querytree setweight strip
		sum either: ts_delete ts_filter
		sum: tsquery_not tsquery_phrase
		square 4: phraseto_tsquery plainto_tsquery to_tsquery websearch_to_tsquery
		sum 4: to_tsvector
		sum 8: array_to_tsvector tsvector_to_array
		sum 64 either: ts_headline

		small: area center diameter gen_random_uuid height npoints radius width

		collect: array_agg string_agg json_agg jsonb_agg json_object_agg jsonb_object_agg range_agg
	`),
	Types: sqlbound.Functions(`
		small: smallint integer bigint real double boolean money uuid date time timestamp interval
		small: inet cidr macaddr macaddr8 point line lseg box circle
		small: int4range int8range tsrange tstzrange daterange
		sum: numeric numrange json
		sum 2: text varchar bytea bpchar pg_catalog.bit
		fill: char bit
		sum 6: jsonb
		square 8: tsquery
		sum 8: [] jsonpath tsvector path polygon vector
		sum 32: int4multirange int8multirange nummultirange tsmultirange tstzmultirange datemultirange
	`),
}
