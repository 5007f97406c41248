// Package graphql lets a model query a GraphQL server, limited to what the
// application allows.
//
// A [Schema] is read from the server ([Client.Schema]), from an introspection
// response ([ParseIntrospection]), or from SDL ([ParseSDL]). A [Guard] checks the
// text of a query and its variables against the schema before anything is sent.
// The text must be one query operation, valid by the rules of the GraphQL
// specification, within limits of size, depth and cost, and without
// introspection. Two options restrict what the query can read:
//
//   - [GuardOptions.Sensitive] lists members of the schema that the Guard treats
//     as if they did not exist. Neither [Guard.Describe] nor an error names them.
//   - [GuardOptions.Fixed] lists arguments that the application sets, such as the
//     tenant, whatever the model wrote.
//
// A query that passes becomes a [Query]. Its text is printed from the syntax tree
// that was checked; the model's own text is never sent. A query that does not
// pass is refused with a [*refusal.Error], whose problems say what is wrong,
// where, and which names may have been meant, so that a model can correct the
// query.
//
// A [Client] sends nothing but a Query. Its [Result] has the data and the errors
// of single fields. A request that returned no data fails with an [*Error].
package graphql
