package esquery

import "github.com/qedkit/qed/refusal"

// A rule says why a query is refused, and what to use instead.
type rule struct {
	code    refusal.Code
	why     string
	instead []string
}

const noModel = "it uses a model to make a vector, which cannot be checked"

// refusedQueries are queries that exist and are always refused.
var refusedQueries = map[string]rule{
	"script": {ErrScript, "scripts are refused; use a range or a term", []string{"range", "term"}},
	"script_score": {ErrScript,
		"scripts are refused; use function_score with fields", []string{"function_score", "distance_feature"}},
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
	"text_expansion":  {ErrForbidden, noModel, []string{"sparse_vector", "match"}},
	"weighted_tokens": {ErrForbidden, "it is replaced by sparse_vector", []string{"sparse_vector"}},
	"neural":          {ErrForbidden, noModel, []string{"knn", "match"}},
	"neural_sparse":   {ErrForbidden, noModel, []string{"match"}},
	"hybrid":          {ErrForbidden, "it needs a pipeline, which cannot be checked", []string{"bool", "dis_max"}},
	"agentic":         {ErrForbidden, noModel, []string{"bool"}},
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
