package esquery

// The places of the mandatory filter, and the parts of a body that are refused
// because there is no place for it:
//
//   query              around it; a body without a query gets the filter as its query
//   aggregations       none: they see what the query finds
//   post_filter, highlight, top_hits
//                      none: they see the same documents
//   global             refused
//   terms with min_doc_count 0   refused: it lists terms of all documents
//
// The filter is added where the part is checked, so that no part is overlooked.

// filtered reports whether a mandatory filter applies to the author of the body.
func (c *checker) filtered() bool { return !c.trusted && len(c.v.filters) > 0 }

// confined reports whether there is anything that the author of the body must
// not see.
func (c *checker) confined() bool { return c.filtered() || !c.trusted && c.index.sensitive.any() }

// assemble returns the search of a body that was checked, with the mandatory filter. The
// scores do not change.
func (c *checker) assemble(index string, root value) *Search {
	s := &Search{index: index, hidden: c.index.sensitive, mandatory: c.v.filters, cut: c.cut}
	if q := root.get("query"); q != nil {
		author := *q
		s.query = &author
	}
	if q := root.get("post_filter"); q != nil {
		author := *q
		s.postFilter = &author
	}
	if c.filtered() {
		var clauses []member
		if s.query != nil {
			clauses = append(clauses, member{"must", arrayValue(*s.query)})
		}
		clauses = append(clauses, member{"filter", arrayValue(c.v.filters...)})
		root.set("query", objectValue(member{"bool", objectValue(clauses...)}))
	}
	if c.index.sensitive.any() {
		s.shown = root.appendTo(nil)
		c.conceal(&root)
		for _, topHits := range c.topHits {
			c.conceal(topHits)
		}
	}
	s.root = root
	return s
}
