// Package mcpkit joins qed with the Model Context Protocol, in both directions: the
// tools of an MCP server become tools of a qed.Registry ([Connect], [Client.Tools]),
// and a registry or any agent becomes tools of an MCP server ([AddRegistry],
// [AddAgent]). The protocol itself is github.com/modelcontextprotocol/go-sdk: a host
// keeps its transports, its handlers and its authorization.
//
// # Tools of an MCP server
//
//	client, err := mcpkit.Connect(ctx, mcpkit.Command(func() *exec.Cmd {
//		return exec.Command("ports-server", "-read-only")
//	}), &mcpkit.ClientOptions{Prefix: "ports_"})
//	...
//	defer client.Close()
//	tools, err := client.Tools(ctx)
//	...
//	err = registry.Add(tools...)
//
// [Command] speaks with a process over its standard input and output, [HTTP] with an
// endpoint over streamable HTTP; any other transport of the SDK is a [Dialer], and
// [UseSession] takes a session that the host made itself.
//
// What a server says is not trusted, unless [ClientOptions.Trusted] says so:
//
//   - A name becomes one that qed takes, below the prefix. Two that become the same are
//     told apart by a hash; a name that the server gives twice, or that becomes another's all
//     the same, is refused.
//   - A description is cut and stands quoted, as the server's words. The schema of the
//     arguments is bounded in size, depth and what it costs to check, and made free of
//     references; see [Client.Tools]. What cannot be used is a [*ToolError] that names
//     the tool, and never left out unsaid.
//   - No tool is Repeat: a server could call anything read-only. A host that knows
//     better sets Repeat in the tools that it got, or trusts the server.
//   - A result cannot pass for more than a text: one that has members on which qed's agents
//     act, such as the rows or the query of a qed.Finding, is put under "value", and so is one
//     whose "text" is too long or has characters that cannot be shown.
//   - A command gets none of this process's environment but what programs need to run.
//
// Nothing is told of who asks: neither the user nor the company of a turn. What a server must
// know of them the host sends, by [ClientOptions.Meta] or by the RoundTripper of its
// http.Client, whose requests have the context of the call.
//
// # Results
//
// What a call returns is one JSON value for the model:
//
//	structured content, an object    the object
//	structured content, else         {"value": ...}
//	text                             {"text": "..."}; "truncated": true where it was cut
//	an embedded text                 part of the text, and one of the "citations"
//	a link to a resource             one of the "citations", as in a qed.Finding; never fetched
//	an image, a sound, a blob        one of the "artifacts", as in a qed.Finding; what is too
//	                                 large to keep is named in "left_out" instead
//
// Structured content with citations or artifacts beside it is {"value": ..., "citations":
// ...}. The SDK reads numbers as float64; where the text beside structured content says
// the same, as servers should, its digits are taken. A result that says that it is an
// error is the error of the call, in the server's words.
//
// # Connections
//
// A call that is cancelled, or takes too long, is cancelled at the server. Where the
// connection has ended when a call begins, or the server refuses it as it does not know the
// session any more, the client connects again and makes the call: what the server may have
// taken is never sent a second time. Where the connection breaks under a call, the call fails and
// says that nobody knows what became of it. Failing to connect
// is tried again after a pause that doubles, from one second to a minute; calls in between
// fail at once. Each connection is checked for nothing else than its protocol: the tools
// stay those that were listed. When the server says that they have changed,
// [ClientOptions.Changed] is called, and it is the host that decides whether to list them
// again. A message of more than 16 MiB ends the connection.
//
// Progress is told as events of the kind "mcp_progress" (see [Progress]), at most a hundred a call.
//
// # Questions
//
// Where [ClientOptions.Ask] allows it, a server that speaks protocol 2026-07-28 or later
// may ask the user something: there an elicitation is the result of the call, and the call
// is made again with the reply, so the turn can end with the question ([qed.Interrupt]) and
// the call go on in a later one. Servers of older protocols ask in the middle of a call,
// which cannot wait for days: they are told that the user declines. So is every server
// where nobody can be asked, and for anything but a form of a few plain fields. No server
// gets a model, or the host's folders.
//
// # An MCP server
//
// [AddRegistry] and [AddAgent] add tools to an *mcp.Server, which the host serves as the
// SDK does: over standard input and output, or by mcp.NewStreamableHTTPHandler. The client
// is not trusted: arguments are validated, calls are bounded in number, time and size, and a
// panic is an error. What went wrong within an agent is replaced by a plain word. The error of a
// registry's tool is sent as it is, as tools write theirs for models, unless
// [ServerOptions.ToolError] says what to send. [ServerOptions.OnError] has it all.
//
// Who calls is what [ServerOptions.Caller] says, or else the user of the bearer token that
// the SDK verified; an argument never does. Conversations are the caller's: his ids are
// made threads of his own by [Thread], so nobody reaches another's. Where the caller is
// not known, a conversation lasts as long as the session; where there is no session either
// (stateless HTTP) none is kept.
//
// An agent's questions come back in the result with how to reply to them, and, where
// [ServerOptions.Elicit] says so and the client can, they are put to its user at once. A
// call that the client cancels cancels the turn. Over HTTP that needs a stateful handler,
// or, for protocol 2026-07-28, mcp.StreamableHTTPOptions.PropagateRequestCancellation.
package mcpkit
