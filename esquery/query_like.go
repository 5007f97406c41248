package esquery

var (
	likeParams = withCommon(
		param{key: "fields", takes: anArray, required: true},
		param{key: "like", takes: anything, required: true},
		param{key: "unlike", takes: anything},
		param{key: "max_query_terms", takes: aPositive},
		param{key: "min_term_freq", takes: aCount},
		param{key: "min_doc_freq", takes: aCount},
		param{key: "max_doc_freq", takes: aCount},
		param{key: "min_word_length", takes: aCount},
		param{key: "max_word_length", takes: aCount},
		param{key: "stop_words", takes: texts},
		noAnalyzer,
		param{key: "minimum_should_match", takes: minimumMatch},
		param{key: "fail_on_unsupported_field", takes: aSwitch},
		param{key: "boost_terms", takes: aNumber},
		param{key: "include", takes: aSwitch})
	madeDocumentParams = []param{{key: "doc", takes: anObject, required: true}, {key: "_index", takes: aText}}
	likeDocumentParams = []param{
		{key: "_id", takes: aText, required: true},
		{key: "_index", takes: aText},
		{key: "routing", takes: aText},
	}
)

// moreLikeThis checks a query for documents with words of a text in common.
func (c *checker) moreLikeThis(v *value) {
	if c.filtered() {
		c.report(ErrFilterBypass, []string{"match"},
			"more_like_this selects words by the documents of others; use a match with the words")
		return
	}
	if !c.params(v, "more_like_this", likeParams) {
		return
	}
	c.member(v, "fields", func(names *value) {
		c.fieldNames(names, &param{key: "fields", need: needLike})
	})
	c.member(v, "like", func(like *value) { c.each(like, c.likeItem) })
	c.member(v, "unlike", func(like *value) { c.each(like, c.likeItem) })
}

// likeItem checks a text or a document.
func (c *checker) likeItem(v *value) {
	switch {
	case isText(v):
	case v.kind != object:
		c.report(ErrMalformed, nil, "like takes texts, and documents by their _id")
	case v.get("doc") != nil:
		c.params(v, "a document", madeDocumentParams)
	default:
		c.params(v, "a document", likeDocumentParams)
	}
	if name := v.get("_index"); name != nil && c.v.indices[name.text] != c.index {
		c.in("_index")
		c.report(ErrForbidden, nil, "documents of other indices are refused")
		c.out()
	}
}
