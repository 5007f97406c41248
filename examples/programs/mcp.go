package main

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/mcpkit"
	"github.com/qedkit/qed/toolagent"
)

// Relay answers with the tools of a foreign MCP server, and is an MCP server itself,
// until ctx is done or its client has left.
func Relay(ctx context.Context, model llm.Model, foreign mcpkit.Dialer, served mcp.Transport) error {
	client, err := mcpkit.Connect(ctx, foreign, &mcpkit.ClientOptions{Prefix: "foreign_"})
	if err != nil {
		return err
	}
	defer client.Close()
	tools, err := client.Tools(ctx)
	if err != nil {
		return err
	}
	agent, err := toolagent.New(model, qed.NewRegistry(nil, tools...), nil)
	if err != nil {
		return err
	}
	return mcpkit.ServeAgent(ctx, served, "ask", "Answers questions about ports.", agent, nil)
}
