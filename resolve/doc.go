// Package resolve finds the records and fields that users mean by the names they
// write. Entities such as ports and customers are in a [Catalog], and columns or
// paths of a data source in a [FieldCatalog].
//
// A catalog only returns what is in the host's data. Names are found by their
// words in any order, by aliases, abbreviations and misspellings, and with an
// [llm.Embedder] by their meaning. A [Finder] looks up entities that do not fit
// in memory. None of this needs an agent or a model.
//
// A [Resolution] is Resolved only if it is certain which candidate is meant.
// Otherwise it lists the candidates. The tools of [NewEntityTool] and [NewFieldTool]
// then let a model choose among similar ones, or ask the user. A term that resembles
// nothing stays unresolved.
package resolve
