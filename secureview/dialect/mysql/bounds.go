package mysql

import "github.com/qedkit/qed/internal/sqlbound"

// Bounds returns what MySQL and MariaDB cannot bound while a statement runs.
func (Dialect) Bounds() *sqlbound.Rules { return &bounds }

// bounds has the functions that a statement may call, on every server or on those of
// someServers. A function that a server does not have could be a stored function of its
// schema, which may read what it likes. It does not have functions that:
//
//   - wait or lock: sleep, benchmark, get_lock
//   - read or write more than their arguments: load_file, user, database, version,
//     last_insert_id, nextval
//   - use keys or secrets: aes_decrypt, encrypt, password, random_bytes, uuid
//   - put data into error messages: extractvalue, updatexml
//   - return much more than their arguments: uncompress
//   - make shapes of others: st_buffer, st_union. They can take the product of the numbers of
//     corners for one row, which no limit of time stops
//
// Functions that compare shapes are allowed because the reader limits these to points and
// literals.
var bounds = sqlbound.Rules{
	Backtracking: true,
	Functions: sqlbound.Functions(`
		small: count sum avg bit_and bit_or bit_xor std stddev_pop stddev_samp var_pop var_samp
		small: variance median grouping row_number rank dense_rank percent_rank cume_dist ntile
		small: interval isnull abs acos asin atan atan2 ceil ceiling conv cos cot crc32 degrees exp floor
		small: ln log log10 log2 mod pi pow power radians rand round sign sin sqrt tan truncate bit_count

		small: adddate addtime convert_tz date date_add date_sub datediff day dayname dayofmonth
		small: dayofweek dayofyear extract from_days get_format hour add_months last_day makedate
		small: maketime microsecond minute month monthname period_add period_diff quarter sec_to_time
		small: second str_to_date subdate subtime sysdate time time_to_sec timediff timestamp
		small: timestampadd timestampdiff to_days to_seconds unix_timestamp utc_date utc_time
		small: utc_timestamp week weekday weekofyear year yearweek
		sum 16: date_format time_format from_unixtime to_char

		small: ascii bin bit_length char_length character_length field find_in_set length oct
		small: point st_distance_sphere st_geometrytype st_srid st_x st_y
		small: st_contains st_within st_intersects st_distance mbrcontains mbrwithin
		sum 8: st_astext st_geomfromtext
		small: octet_length ord match strcmp format charset coercibility collation
		small: md5 sha sha1 sha2 inet_aton inet_ntoa inet6_aton inet6_ntoa is_ipv4 is_ipv4_compat
		small: is_ipv4_mapped is_ipv6 is_uuid bin_to_uuid uuid_to_bin
		small needle 1: locate
		small needle 2: instr
		small match 2: regexp_instr regexp_like

		sum: from_base64 lcase lower ltrim reverse rtrim soundex ucase unhex upper nullif
		sum needle 2: substring_index
		sum match 2: regexp_substr
		sum needle 2: trim
		cut 2: left right
		cut 3: mid substr substring
		longest: if ifnull coalesce greatest least nvl nvl2 min max any_value elt
		longest: lag lead first_value last_value nth_value

		sum: concat insert make_set
		sum 2: hex quote to_base64
		sum 4: char chr convert
		join: concat_ws
		pad 1: space
		pad 2: lpad rpad
		repeat 2 policy: repeat
		replace needle 2: replace
		regexp match 2: regexp_replace

		small: json_contains_path json_depth json_exists json_length json_type json_valid
		small either slow: json_contains json_equals json_overlaps json_schema_valid
		sum: json_keys json_query json_remove json_unquote json_value
		sum 4: json_normalize
		sum either slow: json_merge_patch json_merge_preserve
		json: json_array json_array_append json_array_insert json_insert json_object json_quote
		json: json_replace json_set
		paths: json_extract
		pretty: json_pretty
		pretty needle 3: json_search

		collect: group_concat json_arrayagg json_objectagg
	`),
	Types: sqlbound.Functions(`
		small: date datetime time year decimal unsigned signed double float
		sum: char
		fill: binary
		sum 2: json
	`),
}
