package mcpkit

import (
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
	"github.com/qedkit/qed/internal/prompt"
)

// Tools asks the server for its tools, page by page, and returns them for a
// [qed.Registry], in the server's order. They call the server as long as the client is
// open, whatever it lists later.
//
// A tool that cannot be used is a [*ToolError], for [ClientOptions.Refused] or in Tools'
// own error: one without a name, or with one that cannot be printed, one whose name came
// before, or would become another's, and one whose schema is no object, is too large or too
// deep, refers to what is not in it, or is none that can be checked. References within a
// schema are replaced by what they refer to; where that contains itself, anything is allowed
// at the second time, and it is the server that checks it.
//
// A list that is too long, or does not end, matches [ErrTooManyTools], and a server that
// cannot be reached [ErrUnavailable].
func (c *Client) Tools(ctx context.Context) ([]qed.Tool, error) {
	listed, problems, err := c.list(ctx)
	if err != nil {
		return nil, err
	}
	names := c.names(listed)
	var tools []qed.Tool
	seen := map[string]bool{}
	for i, t := range listed {
		if c.opt.Only != nil && !slices.Contains(c.opt.Only, t.Name) {
			continue
		}
		tool, problem := qed.Tool{}, (*ToolError)(nil)
		switch {
		case t.Name == "":
			problem = refused("", "it has no name")
		case strings.ContainsFunc(t.Name, func(r rune) bool { return !unicode.IsPrint(r) }):
			problem = refused(t.Name, "its name has characters that cannot be printed")
		case seen[t.Name]:
			problem = refused(t.Name, "the server lists another one of that name")
		case names[i] == "":
			problem = refused(t.Name, "another one has the name that it would get")
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
	for _, p := range problems {
		seen[p.Tool] = true
	}
	for _, name := range c.opt.Only {
		if !seen[name] {
			problems = append(problems, refused(name, "the server does not have it"))
		}
	}
	return tools, c.report(problems, &tools)
}

// report tells the host of what cannot be used.
func (c *Client) report(problems []*ToolError, tools *[]qed.Tool) error {
	var all []error
	for _, p := range problems {
		if c.opt.Refused != nil {
			c.opt.Refused(p)
			continue
		}
		all = append(all, p)
	}
	if all != nil {
		*tools = nil
	}
	return errors.Join(all...)
}

// list returns what the server lists, and what the SDK left out of it.
func (c *Client) list(ctx context.Context) ([]*mcp.Tool, []*ToolError, error) {
	var tools []*mcp.Tool
	var problems []*ToolError
	cursors := map[string]bool{}
	for cursor := ""; ; {
		var whole []*mcp.Tool
		page, err := send(ctx, c, new(delivery), func(ctx context.Context, session *mcp.ClientSession) (*mcp.ListToolsResult, error) {
			whole = nil
			return session.ListTools(context.WithValue(ctx, listedKey{}, &whole), &mcp.ListToolsParams{Cursor: cursor})
		})
		if err != nil {
			return nil, nil, c.notListed(ctx, err)
		}
		for _, t := range whole {
			switch {
			case t == nil:
				problems = append(problems, refused("", "it is null"))
			case !slices.Contains(page.Tools, t) && (c.opt.Only == nil || slices.Contains(c.opt.Only, t.Name)):
				problems = append(problems, refused(t.Name, "its x-mcp-header annotations are not valid"))
			}
		}
		tools = append(tools, page.Tools...)
		cursors[cursor] = true
		cursor = page.NextCursor
		switch {
		case len(tools)+len(problems) > c.opt.MaxTools:
			return nil, nil, fmt.Errorf("%w: more than %d; where that is right, set ClientOptions.MaxTools", ErrTooManyTools, c.opt.MaxTools)
		case cursor == "":
			return tools, problems, nil
		case cursors[cursor] || len(cursors) > c.opt.MaxTools:
			return nil, nil, fmt.Errorf("%w: the list does not end", ErrTooManyTools)
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
	return &quiet{"mcpkit: the MCP server did not list its tools", errors.Join(ErrUnavailable, err)}
}

type listedKey struct{}

// noteListed notes all tools that a server lists, as the SDK leaves out some and does not
// say which.
func noteListed(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		result, err := next(ctx, method, req)
		if page, ok := result.(*mcp.ListToolsResult); ok && page != nil {
			if whole, ok := ctx.Value(listedKey{}).(*[]*mcp.Tool); ok {
				*whole = slices.Clone(page.Tools)
			}
		}
		return result, err
	}
}

var (
	prefixName = regexp.MustCompile(`^[A-Za-z0-9_-]{0,32}$`)
	noName     = regexp.MustCompile(`[^A-Za-z0-9_-]`)
)

const maxName = 64 // of a tool, in bytes

// names returns what the tools are called in a registry. It does not depend on their
// order: where several would be called the same, a hash of its own name stands behind each
// that had to be changed, and where even that name is another's, it has none.
func (c *Client) names(tools []*mcp.Tool) []string {
	count := map[string]int{}
	names := make([]string, len(tools))
	for i, t := range tools {
		names[i] = c.opt.Prefix + noName.ReplaceAllString(t.Name, "_")
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
	owners := map[string]map[string]bool{} // by name, what the server calls those that have it
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

// tool makes a tool of one that the server lists.
func (c *Client) tool(name string, t *mcp.Tool) (qed.Tool, *ToolError) {
	input, err := c.schema(t.InputSchema)
	if err != nil {
		return qed.Tool{}, refused(t.Name, "its input schema %w", err)
	}
	tool := qed.Tool{
		Name: name, Description: c.description(t), Input: input,
		Interrupts: c.opt.Ask, Timeout: c.opt.Timeout,
	}
	if a := t.Annotations; a != nil && c.opt.Trusted {
		tool.Idempotent = a.ReadOnlyHint || a.IdempotentHint
	}
	tool.Call = c.caller(t.Name, tool.Idempotent)
	if err := qed.NewRegistry(nil).Add(tool); err != nil {
		return qed.Tool{}, refused(t.Name, "%w", err)
	}
	return tool, nil
}

// description is what a model is told of a tool.
func (c *Client) description(t *mcp.Tool) string {
	text := t.Description
	if text == "" {
		text = t.Title
	}
	text = clean(text, c.opt.MaxDescription)
	switch {
	case c.opt.Trusted:
		return text
	case text == "":
		return fmt.Sprintf("A tool of the server %s.", c.Name())
	}
	return fmt.Sprintf("A tool of the server %s, which says of it: %s", c.Name(), prompt.Quote(strings.Join(strings.Fields(text), " ")))
}
