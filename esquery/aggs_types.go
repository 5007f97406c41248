package esquery

import "slices"

// An aggregation is a type of aggregation.
type aggregation struct {
	// buckets reports whether it makes several buckets, each with the aggregations
	// below it. Otherwise it is one bucket or a number.
	buckets bool
	params  []param
}

// ofField returns the parameters of an aggregation on the values of a field.
func ofField(n need, more ...param) []param {
	return append([]param{
		{key: "field", takes: aField, need: n, required: true},
		{key: "missing", takes: anything},
		{key: "format", takes: aText},
		{key: "value_type", takes: aText},
		{key: "script", takes: aScript},
	}, more...)
}

// ofPath returns the parameters of an aggregation on other aggregations. Engines
// check the path.
func ofPath(more ...param) []param {
	return append([]param{
		{key: "buckets_path", takes: anything, required: true},
		{key: "gap_policy", takes: aText},
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
	rangesParam    = param{key: "ranges", takes: anArray, required: true}
	zoneParam      = param{key: "time_zone", takes: aText}

	cutParams = []param{
		sizeParam, shardSizeParam, minDocParam,
		{key: "shard_min_doc_count", takes: aCount},
	}
	choiceParams      = []param{{key: "include", takes: anything}, {key: "exclude", takes: anything}}
	termsHint         = param{key: "execution_hint", takes: aText}
	collectMode       = param{key: "collect_mode", takes: aText}
	termErrors        = param{key: "show_term_doc_count_error", takes: aSwitch}
	boundsParams      = []param{{key: "min", takes: anything}, {key: "max", takes: anything}}
	percentileParams  = []param{keyedParam, {key: "tdigest", takes: anObject}}
	weightParams      = ofField(needNumeric)
	termsSourceParams = ofField(needBuckets)
	rangeBucketParams = []param{{key: "key", takes: aText}, {key: "from"}, {key: "to"}, {key: "mask"}}
)

// aggregationTypes are the aggregations of both engines that are supported.
var aggregationTypes = map[string]*aggregation{
	"avg":         {params: ofField(needNumber)},
	"sum":         {params: ofField(needNumber)},
	"min":         {params: ofField(needNumber)},
	"max":         {params: ofField(needNumber)},
	"value_count": {params: ofField(needGroup)},
	"cardinality": {params: ofField(needGroup,
		param{key: "precision_threshold", takes: aCount},
		param{key: "execution_hint", takes: aText})},

	"weighted_avg": {params: []param{
		{key: "value", takes: anything, required: true}, {key: "weight", takes: anything, required: true},
		{key: "format", takes: aText},
	}},

	"stats":          {params: ofField(needNumber)},
	"extended_stats": {params: ofField(needNumber, param{key: "sigma", takes: aBoost})},
	"percentiles": {params: ofField(needNumber,
		append(percentileParams, param{key: "percents", takes: anything})...)},
	"percentile_ranks": {params: ofField(needNumber,
		append(percentileParams, param{key: "values", takes: anything, required: true})...)},
	"top_hits": {},

	"filter":         {},
	"missing":        {params: ofField(needGroup)},
	"global":         {params: []param{}},
	"nested":         {params: []param{{key: "path", takes: anything, required: true}}},
	"reverse_nested": {params: []param{}},

	"terms": {buckets: true, params: joined(
		ofField(needBuckets, orderParam, termsHint, collectMode, termErrors), cutParams, choiceParams)},
	"multi_terms": {buckets: true, params: joined(cutParams, []param{
		{key: "terms", takes: anArray, required: true}, orderParam, collectMode, termErrors,
	})},
	"histogram": {buckets: true, params: ofField(needHistogram,
		param{key: "interval", takes: aNumber, required: true}, param{key: "offset", takes: aNumber},
		minDocParam, keyedParam, orderParam,
		param{key: "extended_bounds", takes: anything}, param{key: "hard_bounds", takes: anything})},
	"date_histogram": {buckets: true, params: ofField(needDate,
		param{key: "calendar_interval", takes: aText}, param{key: "fixed_interval", takes: aText},
		zoneParam, param{key: "offset", takes: anything}, minDocParam, keyedParam, orderParam,
		param{key: "extended_bounds", takes: anything}, param{key: "hard_bounds", takes: anything})},
	"auto_date_histogram": {buckets: true, params: ofField(needDate,
		param{key: "buckets", takes: aPositive}, zoneParam,
		param{key: "minimum_interval", takes: aText})},
	"range":      {buckets: true, params: ofField(needNumber, rangesParam, keyedParam)},
	"date_range": {buckets: true, params: ofField(needDate, rangesParam, keyedParam, zoneParam)},
	"ip_range":   {buckets: true, params: ofField(needIP, rangesParam, keyedParam)},
	"geo_distance": {buckets: true, params: []param{
		{key: "field", takes: aField, need: needGeoPoint, required: true}, {key: "origin", takes: anything, required: true},
		rangesParam, keyedParam, {key: "unit", takes: aText}, {key: "distance_type", takes: aText},
	}},
	"filters": {buckets: true, params: []param{
		{key: "filters", takes: anything, required: true}, keyedParam,
		{key: "other_bucket", takes: aSwitch}, {key: "other_bucket_key", takes: aText},
	}},

	"avg_bucket":            {params: ofPath()},
	"sum_bucket":            {params: ofPath()},
	"min_bucket":            {params: ofPath()},
	"max_bucket":            {params: ofPath()},
	"stats_bucket":          {params: ofPath()},
	"extended_stats_bucket": {params: ofPath(param{key: "sigma", takes: aBoost})},
	"percentiles_bucket":    {params: ofPath(param{key: "percents", takes: anything}, keyedParam)},
	"derivative":            {params: ofPath(param{key: "unit", takes: aText})},
	"cumulative_sum":        {params: ofPath()},
	"bucket_sort": {params: []param{
		{key: "sort", takes: anything}, {key: "from", takes: aCount}, sizeParam,
		{key: "gap_policy", takes: aText},
	}},
}
