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

func (c *checker) clonedFilters() value {
	all := make([]value, len(c.v.filters))
	for i := range all {
		all[i] = c.v.filters[i].clone()
	}
	return arrayValue(all...)
}

// confine adds the mandatory filter to a query. The scores do not change.
func (c *checker) confine(q *value) {
	if c.filtered() && !c.bare {
		*q = objectValue(member{"bool", objectValue(
			member{"must", arrayValue(*q)},
			member{"filter", c.clonedFilters()},
		)})
	}
}

// assemble returns the search of a body that was checked.
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
		if q := root.get("query"); q != nil {
			c.confine(q)
		} else {
			root.set("query", objectValue(member{"bool", objectValue(member{"filter", c.clonedFilters()})}))
		}
	}
	c.conceal(&root)
	s.root = root
	return s
}
