package esquery

// Where the mandatory filter goes, and what is refused because there is none to
// put it into.
//
//	query              around it; without one the filter is the query
//	knn                into its filter, each one; alone also into post_filter,
//	                   which the hits of a collapsed group heed
//	has_child, has_parent   around the query on what is joined
//	significant_terms, significant_text   into the background_filter; refused
//	                   below nested, where it would match nothing
//	aggregations       they see what the query finds
//	post_filter, rescore, highlight, collapse, top_hits, inner_hits of nested
//	                   the same documents
//	global, children, parent   refused
//	terms with min_doc_count 0   refused: it lists terms of all documents
//	suggest, retriever, explain  refused
//
// What is checked within a search's own text is put in where it was checked, so
// that no part can be overlooked here.

// filtered reports whether the author of the body must stay within a filter.
func (c *checker) filtered() bool { return !c.trusted && len(c.v.filters) > 0 }

// confined reports whether there is anything that the author of the body must not see.
func (c *checker) confined() bool { return c.filtered() || !c.trusted && c.index.sensitive.any() }

// mandatory is all filters as one query.
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

// confine puts the mandatory filter around a query that was checked. Its scores
// stay as they are.
func (c *checker) confine(q *value) {
	if c.filtered() {
		*q = objectValue(member{"bool", objectValue(
			member{"must", arrayValue(*q)},
			member{"filter", c.clonedFilters()},
		)})
	}
}

// confineFilter puts the mandatory filter into the filter of a knn.
func (c *checker) confineFilter(v *value) { c.confineMember(v, "filter") }

// confineMember puts the mandatory filter into a member of v that is a filter. What
// is there is a query or an array of them; what comes out is one query, which both
// engines take.
func (c *checker) confineMember(v *value, key string) {
	if !c.filtered() || v.kind != object {
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

// assemble makes the search of a body that was checked.
func (c *checker) assemble(index string, root value) *Search {
	s := &Search{index: index, hidden: c.index.sensitive, mandatory: c.v.filters}
	s.query = ownQuery(&root)
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

// ownQuery is what the author of a body searches for, in a place of its own; nil:
// everything, or what is nearest to a vector.
func ownQuery(root *value) *value {
	if retriever := root.get("retriever"); retriever != nil {
		if standard := retriever.get("standard"); standard != nil {
			root = standard
		}
	}
	query := root.get("query")
	filter := root.get("filter")
	if query == nil && filter == nil {
		return nil
	}
	if filter == nil {
		own := *query
		return &own
	}
	clauses := []member{{"filter", *filter}}
	if query != nil {
		clauses = append(clauses, member{"must", arrayValue(*query)})
	}
	own := objectValue(member{"bool", objectValue(clauses...)})
	return &own
}
