package esquery

import "github.com/qedkit/qed/refusal"

// A rule says why a query is refused, and what to use instead.
type rule struct {
	code    refusal.Code
	why     string
	instead []string
}

const noModel = "it uses a model to make a vector, which cannot be checked"

// positions refuses the queries on the positions of words.
var positions = rule{ErrForbidden,
	"use match_phrase, with slop for words that are only near", []string{"match_phrase", "match"}}

// refusedQueries are queries that exist and are always refused.
var refusedQueries = map[string]rule{
	"script": {ErrScript, "scripts are refused; use a range or a term", []string{"range", "term"}},
	"script_score": {ErrScript,
		"scripts are refused; use function_score with fields", []string{"function_score"}},
	"percolate": {ErrForbidden, "it runs stored queries and can read documents of other indices", []string{"match"}},
	"wrapper":   {ErrForbidden, "it hides a query in base64; write the query itself", []string{"bool"}},
	"template": {ErrForbidden,
		"it uses a stored query that cannot be checked; write the query itself", []string{"bool"}},
	"query_string": {ErrForbidden,
		"its syntax can use any field, and wildcards and regular expressions without bounds; use " +
			"simple_query_string with fields, or a bool",
		[]string{"simple_query_string", "multi_match", "bool"}},
	"rule": {ErrForbidden,
		"the rules that it applies cannot be checked; write only the organic query", []string{"bool"}},
	"rule_query": {ErrForbidden,
		"the rules that it applies cannot be checked; write only the organic query", []string{"bool"}},
	"text_expansion":  {ErrForbidden, noModel, []string{"match"}},
	"weighted_tokens": {ErrForbidden, noModel, []string{"match"}},
	"sparse_vector":   {ErrForbidden, noModel, []string{"match"}},
	"semantic":        {ErrForbidden, "a match does the same", []string{"match"}},
	"more_like_this": {ErrForbidden,
		"it selects words by other documents; use a match with the words", []string{"match"}},
	"distance_feature":   {ErrForbidden, "use a decay function of function_score", []string{"function_score"}},
	"rank_feature":       {ErrForbidden, "use field_value_factor of function_score", []string{"function_score"}},
	"intervals":          positions,
	"span_containing":    positions,
	"span_field_masking": positions,
	"field_masking_span": positions,
	"span_first":         positions,
	"span_multi":         positions,
	"span_near":          positions,
	"span_not":           positions,
	"span_or":            positions,
	"span_term":          positions,
	"span_within":        positions,
	"neural":             {ErrForbidden, noModel, []string{"knn", "match"}},
	"neural_sparse":      {ErrForbidden, noModel, []string{"match"}},
	"hybrid":             {ErrForbidden, "it needs a pipeline, which cannot be checked", []string{"bool", "dis_max"}},
	"agentic":            {ErrForbidden, noModel, []string{"bool"}},
}

// refusedAggregations are aggregations that exist and are always refused.
var refusedAggregations = map[string]rule{
	"inference": {ErrForbidden, "it needs a model of the cluster", nil},
	"ip_prefix": {ErrForbidden, "it makes too many networks; use ip_range", []string{"ip_range"}},
	"significant_text": {ErrForbidden, "it analyzes the text of each document again; use significant_terms",
		[]string{"significant_terms"}},
	"variable_width_histogram": {ErrForbidden, "its cost grows with the square of its buckets; use histogram",
		[]string{"histogram", "percentiles"}},
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
