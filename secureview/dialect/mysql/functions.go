package mysql

import "github.com/qedkit/qed/internal/sqlread"

// safeFunctions are the functions that a statement for any server may call: all
// servers have them. A function that a server does not have could be a stored
// function of its schema, which may read what it likes.
//
// It does not have functions that:
//
//   - wait or lock: sleep, benchmark, get_lock
//   - read or write more than their arguments: load_file, user, database, version,
//     last_insert_id, nextval
//   - use keys or secrets: aes_decrypt, encrypt, password, random_bytes, uuid
//   - put data into error messages: extractvalue, updatexml
//   - return much more than their arguments: repeat, uncompress
//   - make shapes or compare them: st_geomfromtext, st_buffer, st_intersects. They can take
//     the product of the numbers of corners for one row, which no limit of time stops
//
// space, lpad and rpad are allowed because the reader limits their length.
var safeFunctions = sqlread.Words(`
	count sum avg min max group_concat bit_and bit_or bit_xor std stddev_pop stddev_samp
	var_pop var_samp variance json_arrayagg json_objectagg

	row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value
	last_value nth_value

	if ifnull nullif coalesce greatest least interval isnull

	abs acos asin atan atan2 ceil ceiling conv cos cot crc32 degrees exp floor ln log
	log10 log2 mod pi pow power radians rand round sign sin sqrt tan truncate bit_count

	adddate addtime convert_tz date date_add date_format date_sub datediff day dayname
	dayofmonth dayofweek dayofyear extract from_days from_unixtime get_format hour
	last_day makedate maketime microsecond minute month monthname period_add period_diff
	quarter sec_to_time second str_to_date subdate subtime sysdate time time_format
	time_to_sec timediff timestamp timestampadd timestampdiff to_days to_seconds
	unix_timestamp utc_date utc_time utc_timestamp week weekday weekofyear year yearweek

	ascii bin bit_length char char_length character_length concat concat_ws elt field
	find_in_set format from_base64 hex insert instr lcase left length locate lower lpad
	ltrim make_set mid oct octet_length ord quote regexp_instr regexp_replace
	regexp_substr replace reverse right rpad rtrim soundex space strcmp substr substring
	substring_index to_base64 trim ucase unhex upper

	charset coercibility collation convert match sha2
	point st_astext st_distance_sphere st_geometrytype st_srid st_x st_y
	inet_aton inet_ntoa inet6_aton inet6_ntoa is_ipv4 is_ipv4_compat is_ipv4_mapped
	is_ipv6

	json_array json_array_append json_array_insert json_contains json_contains_path
	json_depth json_extract json_insert json_keys json_length json_merge_patch
	json_merge_preserve json_object json_quote json_remove json_replace
	json_search json_set json_type json_unquote json_valid json_value
`)
