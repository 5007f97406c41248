package esquery

// refusal is why something is refused, and what does instead.
type rule struct {
	code    Code
	why     string
	instead []string
}

const noModel = "it has a model make a vector, and which one cannot be checked"

// refusedQueries are queries that there are, and that are refused whatever they say.
var refusedQueries = map[string]rule{
	"script":       {Script, "scripts are refused; say it with a range or a term", []string{"range", "term"}},
	"script_score": {Script, "scripts are refused; weigh by fields with function_score", []string{"function_score", "distance_feature"}},
	"percolate":    {Forbidden, "it runs queries that documents hold, and can fetch documents of other indices", []string{"match"}},
	"wrapper":      {Forbidden, "it hides a query in base64; write the query itself", []string{"bool"}},
	"template":     {Forbidden, "it makes a query out of what others stored; write the query itself", []string{"bool"}},
	"query_string": {Forbidden, "its syntax reaches any field, and has wildcards and regular expressions without bounds; use simple_query_string with fields, or a bool",
		[]string{"simple_query_string", "multi_match", "bool"}},
	"rule":            {Forbidden, "the rules that it applies cannot be seen here; write what is in organic itself", []string{"bool"}},
	"rule_query":      {Forbidden, "the rules that it applies cannot be seen here; write what is in organic itself", []string{"bool"}},
	"text_expansion":  {Forbidden, noModel, []string{"sparse_vector", "match"}},
	"weighted_tokens": {Forbidden, "sparse_vector took its place", []string{"sparse_vector"}},
	"neural":          {Forbidden, noModel, []string{"knn", "match"}},
	"neural_sparse":   {Forbidden, noModel, []string{"match"}},
	"hybrid":          {Forbidden, "it needs a pipeline, which cannot be checked", []string{"bool", "dis_max"}},
	"agentic":         {Forbidden, noModel, []string{"bool"}},
}

func (c *checker) refuseQuery(name string) {
	r := refusedQueries[name]
	c.report(r.code, r.instead, "%s is refused: %s", name, r.why)
}

// searchable notes a search of a metadata field that tells of other indices.
func (c *checker) searchable(f *Field) {
	if !c.trusted && (f.Path == "_index" || f.Path == "_tier") {
		c.report(Forbidden, nil, "a search of %s is refused: the index is chosen beside the body", f.Path)
	}
}

// tells notes the use of a metadata field that tells of hidden ones, and reports
// whether it is one.
func (c *checker) tells(f *Field) bool {
	if f.Path != "_ignored" && f.Path != "_size" || c.trusted || !c.index.sensitive.any() {
		return false
	}
	c.report(Forbidden, nil, "the use of %s is refused: it tells of all fields of a document, and not all may be seen", f.Path)
	return true
}
