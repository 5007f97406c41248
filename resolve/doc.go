// Package resolve finds what is meant: the entities of a business by the names that users
// give them, and the fields of a source of data by the terms of the business.
//
// It never invents anything. Candidates come from the host's own data: a [Catalog] of
// entities, a [FieldCatalog] of fields, and for what is too large for memory a [Finder].
// They are found by their names and aliases, by their words in any order, by what is
// nearly spelled like them, and, with an [llm.Embedder], by what they mean. None of that
// needs an agent or a model.
//
// What is beyond doubt is taken. Where several could be meant the [Resolution] says so, and
// the tools [NewEntityTool] and [NewFieldTool] have a model choose among the candidates
// where the request itself decides, or else ask the user. What is near to nothing stays
// unresolved.
package resolve
