// Package graphql lets a model ask a GraphQL server, and no more than it may.
//
// A [Schema] comes from an introspection answer ([ReadIntrospection]), from the
// server itself ([Client.Schema]), or from SDL ([ReadSDL]). A [Guard] checks the
// text of a query and its variables against it, before anything is sent: one
// operation, a query and nothing else, valid by the specification's rules, within
// limits of size, depth and cost, without introspection, and without the fields
// that [Options.Sensitive] lists: for the Guard they do not exist, and neither
// [Guard.Describe] nor an error names them. [Options.Fixed] has code put arguments
// in, such as the tenant, whatever the model wrote.
//
// What passes is a [Query]: printed anew from what was checked, never the text
// that was given. What does not is an [*Error] whose Problems say what is wrong,
// where, and what may have been meant, so that a model can correct itself.
//
// A [Client] sends a Query, and nothing else. Its [Result] keeps the data and the
// errors of single fields apart; a call that gave no data at all is a [*CallError]
// of a [Kind].
package graphql
