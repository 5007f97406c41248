package esquery

// Shapes of the parts of a body that are neither queries nor simple values.
const (
	aggregationTree shape = refused + 1 + iota // checked by aggregationsOf
	aSort
	aSource
	fetchedFields
	docValueFields
	storedFields
	aHighlight
	aTopKNN
	aRetriever
	aCollapse
	aRescore
	aSuggest
	anExplain
)

// part checks a value of one of these shapes.
func (c *checker) part(v *value, s shape) {
	switch s {
	case aSort:
		c.sort(v)
	case aSource:
		c.source(v)
	case fetchedFields:
		c.fetched(v, needExist)
	case docValueFields:
		c.fetched(v, needFetch)
	case storedFields:
		c.stored(v)
	case aHighlight:
		c.highlight(v)
	case aTopKNN:
		c.topKNN(v)
	case aRetriever:
		c.retriever(v)
	case aCollapse:
		c.collapse(v)
	case aRescore:
		c.rescore(v)
	case aSuggest:
		c.suggest(v)
	case anExplain:
		c.explain(v)
	}
}
