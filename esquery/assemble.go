package esquery

// The places of the mandatory filter, and the parts of a body that are refused
// because there is no place for it:
//
//   query              around it; a body without a query gets the filter as its query
//   knn                in the filter of each knn; without a query also in post_filter
//   aggregations       none: they see what the query finds
//   post_filter, highlight, top_hits, inner_hits of nested
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

// mandatory returns all filters as one query.
func (c *checker) mandatory() value {
	if len(c.v.filters) == 1 {
		return c.v.filters[0].clone()
	}
	return objectValue(member{"bool", objectValue(member{"filter", c.clonedFilters()})})
}

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

// confineFilter adds the mandatory filter to the filter of a knn.
func (c *checker) confineFilter(v *value) { c.confineMember(v, "filter") }

// confineMember adds the mandatory filter to a member of v that is a query or an
// array of queries. The result is one query, which both engines accept.
func (c *checker) confineMember(v *value, key string) {
	if !c.filtered() || c.bare || v.kind != object {
		return
	}
	have := v.get(key)
	if have == nil {
		v.set(key, c.mandatory())
		return
	}
	all := c.clonedFilters()
	all.items = append(append([]value(nil), list(have)...), all.items...)
	*have = objectValue(member{"bool", objectValue(member{"filter", all})})
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
		} else if root.get("knn") == nil {
			root.set("query", objectValue(member{"bool", objectValue(member{"filter", c.clonedFilters()})}))
		} else {
			c.confineMember(&root, "post_filter")
		}
	}
	c.conceal(&root)
	s.root = root
	return s
}
