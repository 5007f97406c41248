// Package mcpkit connects qed with the Model Context Protocol (MCP) in both
// directions. The tools of an MCP server become tools of a [qed.Registry]:
// [Connect], [Client.Tools]. A registry or an agent becomes tools of an MCP
// server: [AddRegistry], [AddAgent]. The protocol is implemented by
// github.com/modelcontextprotocol/go-sdk; its transports, handlers and
// authorization are used unchanged.
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
// [Command] runs a process and uses its standard input and output. [HTTP] uses an
// endpoint over streamable HTTP. Any other transport of the SDK is a [Dialer].
//
// A server is not trusted, unless [ClientOptions.Trusted] is set:
//
//   - The name of a tool is changed to a valid name of qed, after the prefix. If
//     two names become equal, a hash is added to each changed one. A name that is
//     listed twice, or that still equals another one, is refused.
//   - Its name, and each description and title of its tools and their arguments, is
//     shortened, put on one line and quoted as a text of the server.
//   - The schema of a tool's arguments is limited in size, depth and cost of
//     validation, and its references are resolved; see [Client.Tools].
//   - A tool that cannot be used is reported as a [*ToolError] with its name. It is
//     never left out silently.
//   - No tool is marked as idempotent, because any server could claim to be
//     read-only. The application can set qed.Tool.Idempotent itself.
//   - A result with members that qed's agents act on, such as the rows or the query
//     of a finding.Finding, is put under "value". So is a result whose "text" is
//     too long or has control characters.
//   - A command gets only the environment variables that programs need to run.
//
// The server learns neither the user nor the tenant of a turn. What it must know is
// sent by [ClientOptions.Meta], or by the RoundTripper of the http.Client, whose
// requests have the context of the call.
//
// # Results
//
// A call returns one JSON value for the model:
//
//	structured content, an object    the object; with another text {"text": ..., "value": ...}
//	other structured content         {"value": ...}
//	text                             {"text": "..."}, with "truncated": true if it was cut;
//	                                 one whose audience is the user alone is "left_out"
//	an embedded text                 a part of the text, and one of the "citations"
//	a link to a resource             one of the "citations" of a Finding; never fetched
//	an image, audio or blob          one of the "artifacts" of a Finding; if it is too
//	                                 large, its name is in "left_out" instead
//
// Structured content with citations or artifacts is {"value": ..., "citations":
// ...}. If the text next to structured content has the same JSON, as the protocol
// recommends, it is not repeated, and its exact digits are used; otherwise whole numbers
// beyond 2^53 are texts, because the SDK reads numbers as float64. A result with isError
// set becomes the error of the call, with the server's text.
//
// # Connections
//
// If a call is cancelled or takes too long, it is cancelled at the server too.
//
// If the connection has ended before a call, or the server refuses the call because
// it does not know the session any more, the client connects again and makes the
// call. A call that the server may have received is never sent twice. If the
// connection breaks during a call, the call fails with an error that says that its
// outcome is not known.
//
// After a failed attempt to connect, the next attempt waits. The wait doubles from
// one second to a minute, and calls fail at once during the wait.
//
// The tools stay those that were listed, even after a new connection, until the
// application lists them again. A message of more than 16 MiB ends the connection.
//
// # Questions to the user
//
// A server cannot ask the user (elicitation): a call that needs a reply fails. No
// server gets access to a model (sampling) or to folders (roots).
//
// # An MCP server
//
// [AddRegistry] and [AddAgent] add tools to an *mcp.Server, which is served with
// the SDK: over standard input and output, or with mcp.NewStreamableHTTPHandler.
//
// The client is not trusted. Arguments are validated, calls are limited in number,
// time and size, and a panic is an error. The client of an agent gets a fixed text
// for each kind of failure. The client of a registry gets the error of the tool,
// which is written for models, unless [ServerOptions.ErrorText] is set.
// [ServerOptions.OnError] gets the complete error.
//
// [ServerOptions.Caller] returns who calls. Without it, the caller is the user of the
// bearer token that the SDK verified, never an argument. A conversation belongs to
// its caller: [Thread] derives the thread from the caller and the id of the
// conversation, so nobody reaches the conversation of another caller. The
// conversation of an unknown caller lasts as long as the session. Without a session
// (stateless HTTP) an unknown caller has no conversation.
//
// An agent's questions are returned in the result, with instructions how to reply.
// A call that the client cancels cancels the turn. Over HTTP this needs a stateful
// handler or, for protocol 2026-07-28,
// mcp.StreamableHTTPOptions.PropagateRequestCancellation.
package mcpkit
