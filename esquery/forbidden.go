package esquery

import (
	"strings"

	"github.com/qedkit/qed/refusal"
)

// A rule says why a query is refused, and what to use instead.
type rule struct {
	code    refusal.Code
	why     string
	instead []string
}

const noModel = "it uses a model to make a vector, which cannot be checked"

// refusedQueries are queries that exist and are always refused.
var refusedQueries = rulesFor(map[string]rule{
	"script":       {ErrScript, "scripts are refused; use a range or a term", []string{"range", "term"}},
	"script_score": {ErrScript, "scripts are refused; use a sort by fields", []string{"bool"}},
	"percolate":    {ErrForbidden, "it runs stored queries and can read documents of other indices", []string{"match"}},
	"wrapper":      {ErrForbidden, "it hides a query in base64; write the query itself", []string{"bool"}},
	"template": {ErrForbidden,
		"it uses a stored query that cannot be checked; write the query itself", []string{"bool"}},
	"query_string": {ErrForbidden,
		"its syntax can use any field, and wildcards and regular expressions without bounds; use " +
			"simple_query_string with fields, or a bool",
		[]string{"simple_query_string", "multi_match", "bool"}},
	"rule rule_query": {ErrForbidden,
		"the rules that it applies cannot be checked; write only the organic query", []string{"bool"}},
	"text_expansion weighted_tokens sparse_vector neural_sparse": {ErrForbidden, noModel, []string{"match"}},
	"neural":   {ErrForbidden, noModel, []string{"match"}},
	"agentic":  {ErrForbidden, noModel, []string{"bool"}},
	"semantic": {ErrForbidden, "a match does the same", []string{"match"}},
	"hybrid":   {ErrForbidden, "it needs a pipeline, which cannot be checked", []string{"bool", "dis_max"}},
	"more_like_this": {ErrForbidden,
		"it selects words by other documents; use a match with the words", []string{"match"}},
	"knn": {ErrForbidden, "nobody writes a vector by hand; use a match", []string{"match"}},
	"function_score distance_feature rank_feature": {ErrForbidden,
		"use a sort by the field, or a bool whose should has queries with a boost", []string{"bool", "constant_score"}},
	"intervals span_containing span_field_masking field_masking_span span_first span_multi span_near span_not " +
		"span_or span_term span_within": {ErrForbidden,
		"use match_phrase, with slop for words that are only near", []string{"match_phrase", "match"}},
	"match_bool_prefix":              {ErrForbidden, "use match_phrase_prefix, or a prefix in a bool", []string{"match_phrase_prefix", "prefix"}},
	"combined_fields":                {ErrForbidden, "use multi_match with the type cross_fields", []string{"multi_match"}},
	"terms_set":                      {ErrForbidden, "use a bool with minimum_should_match", []string{"bool"}},
	"pinned":                         {ErrForbidden, "use a bool with ids in should", []string{"bool"}},
	"has_child has_parent parent_id": {ErrForbidden, "documents cannot be searched by their parents or children", nil},
	"geo_polygon geo_shape geo_grid": {ErrForbidden, "use geo_bounding_box or geo_distance", []string{"geo_bounding_box", "geo_distance"}},
	"shape xy_shape":                 {ErrForbidden, "shapes cannot be searched", nil},
})

// refusedAggregations are aggregations that exist and are always refused.
var refusedAggregations = rulesFor(map[string]rule{
	"scripted_metric bucket_script bucket_selector moving_fn": {ErrScript, "it is a script, and scripts are refused", nil},
	"inference": {ErrForbidden, "it needs a model of the cluster", nil},
	"ip_prefix": {ErrForbidden, "it makes too many networks; use ip_range", []string{"ip_range"}},
	"significant_text significant_terms rare_terms": {ErrForbidden,
		"it compares with other documents, or has no bound on its cost; use terms", []string{"terms"}},
	"variable_width_histogram": {ErrForbidden, "its cost grows with the square of its buckets; use histogram",
		[]string{"histogram", "percentiles"}},
	"composite":        {ErrForbidden, "it returns its groups in pages; use multi_terms, or terms in terms", []string{"multi_terms", "terms"}},
	"adjacency_matrix": {ErrForbidden, "use filters with a bool for each combination", []string{"filters"}},
	"median_absolute_deviation boxplot string_stats t_test matrix_stats": {ErrForbidden, "it is not supported",
		[]string{"percentiles", "extended_stats"}},
	"rate": {ErrForbidden, "use date_histogram with a sum below it", []string{"date_histogram"}},
	"geohash_grid geotile_grid geo_bounds geo_centroid cartesian_bounds cartesian_centroid": {ErrForbidden,
		"it is not supported; use geo_distance, or geo_bounding_box in filters", []string{"geo_distance", "filters"}},
	"children parent": {ErrForbidden, "documents cannot be grouped by their parents or children", nil},
	"sampler diversified_sampler random_sampler": {ErrForbidden, "figures of a sample are not exact", nil},
	"top_metrics": {ErrForbidden, "use top_hits with a sort and _source", []string{"top_hits"}},
	"cumulative_cardinality serial_diff moving_percentiles normalize": {ErrForbidden, "it is not supported",
		[]string{"cumulative_sum", "derivative"}},
})

// rulesFor returns a rule for each of the names in a key.
func rulesFor(groups map[string]rule) map[string]rule {
	all := map[string]rule{}
	for names, r := range groups {
		for name := range strings.FieldsSeq(names) {
			all[name] = r
		}
	}
	return all
}

func (c *checker) refuseQuery(name string) {
	r := refusedQueries[name]
	c.report(r.code, r.instead, "%s is refused: %s", name, r.why)
}

// searchable reports a search of a metadata field that reveals other indices.
func (c *checker) searchable(f *Field) {
	if !c.trusted && (f.Path == "_index" || f.Path == "_tier") {
		c.report(ErrForbidden, nil, "a search of %s is refused: the index is not part of the body", f.Path)
	}
}

// revealing reports the use of a metadata field that reveals hidden fields. It
// returns whether the field is one.
func (c *checker) revealing(f *Field) bool {
	if f.Path != "_ignored" && f.Path != "_size" || c.trusted || !c.index.sensitive.any() {
		return false
	}
	c.report(ErrForbidden, nil,
		"the use of %s is refused: it lists all fields of a document, and not all may be seen", f.Path)
	return true
}
