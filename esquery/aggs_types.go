package esquery

import "slices"

// ofField are the parameters of an aggregation on the values of a field.
func ofField(n need, more ...param) []param {
	return append([]param{
		{key: "field", takes: aField, need: n, required: true},
		{key: "missing", takes: anything},
		{key: "format", takes: anything},
		{key: "value_type", takes: aText},
		{key: "script", takes: aScript},
	}, more...)
}

// ofPath are the parameters of an aggregation on other ones.
func ofPath(more ...param) []param {
	return append([]param{
		{key: "buckets_path", takes: anything, required: true},
		{key: "gap_policy", takes: aWord, words: []string{"skip", "insert_zeros", "keep_values"}},
		{key: "format", takes: aText},
	}, more...)
}

func joined(lists ...[]param) []param { return slices.Concat(lists...) }

var (
	sizeParam      = param{key: "size", takes: aPositive}
	shardSizeParam = param{key: "shard_size", takes: aCount}
	keyedParam     = param{key: "keyed", takes: aSwitch}
	orderParam     = param{key: "order", takes: anything}
	minDocParam    = param{key: "min_doc_count", takes: aCount}
	rangesParam    = param{key: "ranges", takes: anything, required: true}
	zoneParam      = param{key: "time_zone", takes: aTimeZone}
	compression    = param{key: "compression", takes: aPositive}
	tdigestHint    = param{key: "execution_hint", takes: aWord, words: []string{"default", "high_accuracy"}}

	cutParams = []param{
		sizeParam, shardSizeParam, minDocParam,
		{key: "shard_min_doc_count", takes: aCount},
	}
	choiceParams = []param{{key: "include", takes: anything}, {key: "exclude", takes: anything}}
	termsHint    = param{key: "execution_hint", takes: aWord, words: []string{"map", "global_ordinals"}}
	collectMode  = param{key: "collect_mode", takes: aWord, words: []string{"depth_first", "breadth_first"}}
	termErrors   = param{key: "show_term_doc_count_error", takes: aSwitch}
	significance = []param{
		{key: "background_filter", takes: aQuery},
		{key: "jlh", takes: anObject}, {key: "mutual_information", takes: anObject},
		{key: "chi_square", takes: anObject}, {key: "gnd", takes: anObject},
		{key: "percentage", takes: anObject}, {key: "p_value", takes: anObject},
		{key: "script_heuristic", takes: aScript},
	}
	boundsParams = []param{{key: "min", takes: anything}, {key: "max", takes: anything}}
	cellParams   = []param{
		{key: "field", takes: aField, need: needGeoPoint, required: true},
		{key: "precision", takes: anything}, {key: "bounds", takes: anObject},
		sizeParam, shardSizeParam,
	}
	percentileParams = []param{
		keyedParam,
		{key: "tdigest", takes: anObject}, {key: "hdr", takes: anObject},
	}
	weightParams = []param{
		{key: "field", takes: aField, need: needNumeric, required: true},
		{key: "missing", takes: aNumber}, {key: "script", takes: aScript},
	}
	statsValues    = []string{"count", "min", "max", "avg", "sum"}
	extendedValues = append([]string{
		"sum_of_squares", "variance", "variance_population", "variance_sampling",
		"std_deviation", "std_deviation_population", "std_deviation_sampling",
		"std_upper", "std_lower", "std_upper_population", "std_lower_population", "std_upper_sampling", "std_lower_sampling",
	}, statsValues...)
	// anyValue says that the names of the values depend on the body.
	anyValue = []string{}
)

// aggregationTypes are those of both engines, without what needs a licence.
var aggregationTypes = map[string]*aggregation{
	"avg":                       {params: ofField(needNumber)},
	"sum":                       {params: ofField(needNumber)},
	"min":                       {params: ofField(needNumber)},
	"max":                       {params: ofField(needNumber)},
	"median_absolute_deviation": {params: ofField(needNumeric, compression, tdigestHint)},
	"value_count":               {params: ofField(needGroup)},
	"cardinality": {params: ofField(needGroup,
		param{key: "precision_threshold", takes: aCount},
		param{key: "execution_hint", takes: aWord, words: []string{
			"global_ordinals", "segment_ordinals", "direct", "save_memory_heuristic", "save_time_heuristic", "ordinals",
		}})},
	"weighted_avg": {params: []param{
		{key: "value", takes: anything, required: true}, {key: "weight", takes: anything, required: true},
		{key: "format", takes: aText}, {key: "value_type", takes: aText},
	}},
	"rate": {within: belowDateBuckets, params: []param{
		{key: "field", takes: aField, need: needNumeric}, {key: "script", takes: aScript},
		{key: "unit", takes: aWord, words: rateUnits}, {key: "mode", takes: aWord, words: []string{"sum", "value_count"}},
		{key: "format", takes: aText}, {key: "missing", takes: aNumber},
	}},
	"t_test": {params: []param{
		{key: "a", takes: anything, required: true}, {key: "b", takes: anything, required: true},
		{key: "type", takes: aWord, words: []string{"paired", "homoscedastic", "heteroscedastic"}}, {key: "format", takes: aText},
	}},

	"stats":          {yields: manyValues, metrics: statsValues, params: ofField(needNumber)},
	"extended_stats": {yields: manyValues, metrics: extendedValues, params: ofField(needNumber, param{key: "sigma", takes: aBoost})},
	"percentiles": {yields: manyValues, metrics: anyValue, params: ofField(needNumber,
		append(percentileParams, param{key: "percents", takes: anything})...)},
	"percentile_ranks": {yields: manyValues, metrics: anyValue, params: ofField(needNumber,
		append(percentileParams, param{key: "values", takes: anything, required: true})...)},
	"boxplot": {yields: manyValues, metrics: []string{"min", "max", "q1", "q2", "q3", "lower", "upper"},
		params: ofField(needNumber, compression, tdigestHint)},
	"string_stats": {yields: manyValues, metrics: []string{"count", "min_length", "max_length", "avg_length", "entropy"},
		params: ofField(needString, param{key: "show_distribution", takes: aSwitch})},
	"top_metrics": {yields: manyValues, metrics: anyValue, params: []param{
		{key: "metrics", takes: anything, required: true}, {key: "sort", takes: aSort, required: true}, sizeParam,
	}},
	"matrix_stats": {yields: noValue, params: []param{
		{key: "fields", takes: fields, need: needNumeric, required: true},
		{key: "missing", takes: anObject}, {key: "mode", takes: aWord, words: sortModes},
	}},
	"geo_bounds":         {yields: noValue, params: ofField(needGeoPoint, param{key: "wrap_longitude", takes: aSwitch})},
	"geo_centroid":       {yields: noValue, params: ofField(needGeoPoint)},
	"cartesian_bounds":   {yields: noValue, params: ofField(needShape)},
	"cartesian_centroid": {yields: noValue, params: ofField(needShape)},
	"top_hits":           {yields: noValue},

	"filter":         {yields: oneBucket},
	"missing":        {yields: oneBucket, params: ofField(needGroup)},
	"global":         {yields: oneBucket, within: onlyAtTop, params: []param{}},
	"nested":         {yields: oneBucket, params: []param{{key: "path", takes: anything, required: true}}},
	"reverse_nested": {yields: oneBucket, params: []param{{key: "path", takes: anything}}},
	"children":       {yields: oneBucket, params: []param{{key: "type", takes: aText, required: true}}},
	"parent":         {yields: oneBucket, params: []param{{key: "type", takes: aText, required: true}}},
	"sampler":        {yields: oneBucket, params: []param{shardSizeParam}},
	"diversified_sampler": {yields: oneBucket, params: ofField(needBuckets, shardSizeParam,
		param{key: "max_docs_per_value", takes: aPositive},
		param{key: "execution_hint", takes: aWord, words: []string{"map", "global_ordinals", "bytes_hash"}})},
	"random_sampler": {yields: oneBucket, within: onlyAtTop, params: []param{
		{key: "probability", takes: aNumber, required: true}, {key: "seed", takes: aNumber}, {key: "shard_seed", takes: aNumber},
	}},

	"terms": {yields: manyBuckets, params: joined(ofField(needBuckets, orderParam, termsHint, collectMode, termErrors), cutParams, choiceParams)},
	"rare_terms": {yields: manyBuckets, params: joined(ofField(needBuckets,
		param{key: "max_doc_count", takes: aPositive}, param{key: "precision", takes: aNumber}), choiceParams)},
	"multi_terms": {yields: manyBuckets, params: joined(cutParams, []param{
		{key: "terms", takes: anything, required: true}, orderParam, collectMode, termErrors,
	})},
	"significant_terms": {yields: manyBuckets, params: joined(ofField(needBuckets, termsHint), cutParams, choiceParams, significance)},
	"significant_text": {yields: manyBuckets, params: joined(cutParams, choiceParams, significance, []param{
		{key: "field", takes: aField, need: needText, required: true},
		{key: "filter_duplicate_text", takes: aSwitch}, {key: "source_fields", takes: anything},
	})},
	"histogram": {yields: manyBuckets, params: ofField(needHistogram,
		param{key: "interval", takes: aNumber, required: true}, param{key: "offset", takes: aNumber},
		minDocParam, keyedParam, orderParam,
		param{key: "extended_bounds", takes: anything}, param{key: "hard_bounds", takes: anything})},
	"variable_width_histogram": {yields: manyBuckets, params: ofField(needNumeric,
		param{key: "buckets", takes: aPositive}, shardSizeParam, param{key: "initial_buffer", takes: aPositive})},
	"date_histogram": {yields: manyBuckets, params: ofField(needPeriod,
		param{key: "calendar_interval", takes: anything}, param{key: "fixed_interval", takes: anything},
		param{key: "interval", takes: anything},
		zoneParam, param{key: "offset", takes: anything}, minDocParam, keyedParam, orderParam,
		param{key: "extended_bounds", takes: anything}, param{key: "hard_bounds", takes: anything})},
	"auto_date_histogram": {yields: manyBuckets, params: ofField(needDate,
		param{key: "buckets", takes: aPositive}, zoneParam,
		param{key: "minimum_interval", takes: aWord, words: []string{"year", "month", "day", "hour", "minute", "second"}})},
	"range":      {yields: manyBuckets, params: ofField(needNumber, rangesParam, keyedParam)},
	"date_range": {yields: manyBuckets, params: ofField(needDate, rangesParam, keyedParam, zoneParam)},
	"ip_range":   {yields: manyBuckets, params: ofField(needIP, rangesParam, keyedParam)},
	"ip_prefix": {yields: manyBuckets, params: ofField(needIP, keyedParam, minDocParam,
		param{key: "prefix_length", takes: aCount, required: true}, param{key: "is_ipv6", takes: aSwitch},
		param{key: "append_prefix_length", takes: aSwitch})},
	"geo_distance": {yields: manyBuckets, params: []param{
		{key: "field", takes: aField, need: needGeoPoint, required: true}, {key: "origin", takes: anything, required: true},
		rangesParam, keyedParam, {key: "unit", takes: exactWord, words: distanceUnits}, {key: "distance_type", takes: aWord, words: []string{"arc", "plane"}},
	}},
	"geohash_grid": {yields: manyBuckets, params: cellParams},
	"geotile_grid": {yields: manyBuckets, params: cellParams},
	"filters": {yields: manyBuckets, params: []param{
		{key: "filters", takes: anything, required: true}, keyedParam,
		{key: "other_bucket", takes: aSwitch}, {key: "other_bucket_key", takes: aText},
	}},
	"adjacency_matrix": {yields: manyBuckets, params: []param{
		{key: "filters", takes: anything, required: true}, {key: "separator", takes: aText},
	}},
	"composite": {yields: manyBuckets, params: []param{
		{key: "sources", takes: anything, required: true}, sizeParam, {key: "after", takes: anObject},
	}},

	"avg_bucket":            {within: besideBuckets, params: ofPath()},
	"sum_bucket":            {within: besideBuckets, params: ofPath()},
	"min_bucket":            {within: besideBuckets, params: ofPath()},
	"max_bucket":            {within: besideBuckets, params: ofPath()},
	"stats_bucket":          {within: besideBuckets, yields: manyValues, metrics: statsValues, params: ofPath()},
	"extended_stats_bucket": {within: besideBuckets, yields: manyValues, metrics: extendedValues, params: ofPath(param{key: "sigma", takes: aBoost})},
	"percentiles_bucket": {within: besideBuckets, yields: manyValues, metrics: anyValue,
		params: ofPath(param{key: "percents", takes: anything}, keyedParam)},
	"derivative":             {within: belowHistogram, params: ofPath(param{key: "unit", takes: aText})},
	"cumulative_sum":         {within: belowHistogram, params: ofPath()},
	"cumulative_cardinality": {within: belowHistogram, params: ofPath()},
	"serial_diff":            {within: belowHistogram, params: ofPath(param{key: "lag", takes: aPositive})},
	"moving_percentiles": {within: belowHistogram, yields: manyValues, metrics: anyValue, params: ofPath(
		param{key: "window", takes: aPositive, required: true}, param{key: "shift", takes: aNumber})},
	"normalize": {within: belowBuckets, params: ofPath(param{key: "method", takes: aWord, required: true, words: []string{
		"rescale_0_1", "rescale_0_100", "percent_of_sum", "mean", "z-score", "softmax",
	}})},
	"bucket_sort": {within: belowBuckets, yields: noValue, params: []param{
		{key: "sort", takes: anything}, {key: "from", takes: aCount}, sizeParam,
		{key: "gap_policy", takes: aWord, words: []string{"skip", "insert_zeros", "keep_values"}},
	}},
}

var rateUnits = []string{"second", "minute", "hour", "day", "week", "month", "quarter", "year"}
