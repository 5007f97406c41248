package mcpkit

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/prompt"
)

// Tools lists the tools of the server and returns them for a [qed.Registry], in the
// server's order. They work as long as the client is open, even if the server lists
// other tools later.
//
// The error has a [*ToolError] for each tool that cannot be used; the other tools are
// returned with it. The reason is one of these:
//
//   - The name is empty, has characters that cannot be printed, was listed before, or
//     becomes equal to another name.
//   - The schema of the arguments is not an object, is too large or too deep, has
//     references to something that it does not contain, or is not valid.
//
// References within a schema are replaced by their targets. Where a target contains
// itself, any value is allowed, and the server checks it.
//
// If the list is too long or does not end, the error matches [ErrTooManyTools]. If the
// server cannot be reached, it matches [ErrUnavailable].
func (c *Client) Tools(ctx context.Context) ([]qed.Tool, error) {
	listed, err := c.list(ctx)
	if err != nil {
		return nil, err
	}
	names := c.names(listed)
	var tools []qed.Tool
	var problems []error
	seen := map[string]bool{}
	for i, t := range listed {
		tool, problem := qed.Tool{}, (*ToolError)(nil)
		switch {
		case t.Name == "":
			problem = refused("", "it has no name")
		case strings.ContainsFunc(t.Name, func(r rune) bool { return !unicode.IsPrint(r) }):
			problem = refused(t.Name, "its name has characters that cannot be printed")
		case seen[t.Name]:
			problem = refused(t.Name, "the server lists another tool of that name")
		case names[i] == "":
			problem = refused(t.Name, "another tool has the same name in the registry")
		default:
			tool, problem = c.tool(names[i], t)
		}
		seen[t.Name] = true
		if problem != nil {
			problems = append(problems, problem)
			continue
		}
		tools = append(tools, tool)
	}
	return tools, errors.Join(problems...)
}

// list returns the tools that the server lists. The SDK leaves out those that it
// cannot call.
func (c *Client) list(ctx context.Context) ([]*mcp.Tool, error) {
	var tools []*mcp.Tool
	cursors := map[string]bool{}
	for cursor := ""; ; {
		request := func(ctx context.Context, session *mcp.ClientSession) (*mcp.ListToolsResult, error) {
			return session.ListTools(ctx, &mcp.ListToolsParams{Cursor: cursor})
		}
		page, err := send(ctx, c, new(delivery), request)
		if err != nil {
			return nil, c.notListed(ctx, err)
		}
		tools = append(tools, lists.Filter(page.Tools, func(t *mcp.Tool) bool { return t != nil })...)
		cursors[cursor] = true
		cursor = page.NextCursor
		switch {
		case len(tools) > maxTools:
			return nil, fmt.Errorf("%w: more than %d", ErrTooManyTools, maxTools)
		case cursor == "":
			return tools, nil
		case cursors[cursor] || len(cursors) > maxTools:
			return nil, fmt.Errorf("%w: the list does not end", ErrTooManyTools)
		}
	}
}

func (c *Client) notListed(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("mcpkit: the tools were not listed: %w", ctx.Err())
	case errors.Is(err, ErrClosed), errors.Is(err, ErrUnavailable):
		return err
	}
	return &quietError{"mcpkit: the MCP server did not list its tools", errors.Join(ErrUnavailable, err)}
}

var (
	prefixName = regexp.MustCompile(`^[A-Za-z0-9_-]{0,32}$`)
	notInName  = regexp.MustCompile(`[^A-Za-z0-9_-]`)
)

const maxName = 64 // of a tool, in bytes

// names returns the names of the tools in a registry. They do not depend on the order
// of the tools: if several names become equal, a hash of the original name is added to
// each changed one. A name that still equals another one is "".
func (c *Client) names(tools []*mcp.Tool) []string {
	count := map[string]int{}
	names := make([]string, len(tools))
	for i, t := range tools {
		names[i] = c.opt.Prefix + notInName.ReplaceAllString(t.Name, "_")
		if !slices.ContainsFunc(tools[:i], func(before *mcp.Tool) bool { return before.Name == t.Name }) {
			count[names[i]]++
		}
	}
	for i, t := range tools {
		if changed := names[i] != c.opt.Prefix+t.Name; len(names[i]) <= maxName && (!changed || count[names[i]] == 1) {
			continue
		}
		hash := fmt.Sprintf("_%x", sha256.Sum256([]byte(t.Name)))[:9]
		names[i] = names[i][:min(len(names[i]), maxName-len(hash))] + hash
	}
	owners := map[string]map[string]bool{} // by name, the original names of its tools
	for i, t := range tools {
		if owners[names[i]] == nil {
			owners[names[i]] = map[string]bool{}
		}
		owners[names[i]][t.Name] = true
	}
	for i, t := range tools {
		if len(owners[names[i]]) > 1 && names[i] != c.opt.Prefix+t.Name {
			names[i] = ""
		}
	}
	return names
}

// tool returns the tool of a registry for a tool that the server lists.
func (c *Client) tool(name string, t *mcp.Tool) (qed.Tool, *ToolError) {
	input, err := c.schema(t.InputSchema)
	if err != nil {
		return qed.Tool{}, refused(t.Name, "its input schema %w", err)
	}
	tool := qed.Tool{
		Name: name, Description: c.description(t), Input: input,
		Call: c.caller(t.Name),
	}
	if a := t.Annotations; a != nil && c.opt.Trusted {
		tool.Idempotent = a.ReadOnlyHint || a.IdempotentHint
	}
	if err := qed.NewRegistry(nil).Add(tool); err != nil {
		return qed.Tool{}, refused(t.Name, "%w", err)
	}
	return tool, nil
}

func (c *Client) description(t *mcp.Tool) string {
	text := cmp.Or(t.Description, t.Title)
	if c.opt.Trusted {
		return clean(text, maxDescription)
	}
	of := "A tool of the server " + quoted(c.Name()) + "."
	if text = quoted(text); text == quoted("") {
		return of
	}
	return of + " Its description by the server: " + text
}

// quoted returns a text of a server that is not trusted: shortened, on one line and in
// quotes.
func quoted(text string) string {
	return prompt.Quote(strings.Join(strings.Fields(clean(text, maxDescription)), " "))
}
