package mcpkit_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os/exec"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/mcpkit"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/store"
)

// inProcess returns a Dialer for a server in this process.
func inProcess(server *mcp.Server) mcpkit.Dialer {
	return func() mcp.Transport {
		ours, theirs := mcp.NewInMemoryTransports()
		if _, err := server.Connect(context.Background(), theirs, nil); err != nil {
			log.Fatal(err)
		}
		return ours
	}
}

// The tools of an MCP server in a registry. This server runs in the same process; use
// Command or HTTP for other servers.
func Example() {
	server := mcp.NewServer(&mcp.Implementation{Name: "harbour"}, nil)
	type in struct {
		Name string `json:"name"`
	}
	mcp.AddTool(server, &mcp.Tool{Name: "port.code", Description: "Finds the code of a port."},
		func(_ context.Context, _ *mcp.CallToolRequest, _ in) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "NLRTM"}}}, nil, nil
		})

	ctx := context.Background()
	client, err := mcpkit.Connect(ctx, inProcess(server), &mcpkit.ClientOptions{Prefix: "harbour_"})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	tools, err := client.Tools(ctx)
	if err != nil {
		log.Fatal(err)
	}
	registry := qed.NewRegistry(nil, tools...)
	fmt.Println(tools[0].Name + ": " + tools[0].Description)

	// A model calls the tool:
	results, err := registry.Do(ctx, llm.ToolCall{Name: "harbour_port_code", Arguments: json.RawMessage(`{"name": "Rotterdam"}`)})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(results[0].Output))

	// Output:
	// harbour_port_code: A tool of the server "harbour". Its description by the server: "Finds the code of a port."
	// {"text":"NLRTM"}
}

// A process gets its arguments and only the given environment.
func ExampleCommand() {
	dial := mcpkit.Command(func() *exec.Cmd {
		cmd := exec.Command("github-mcp-server", "stdio", "--read-only")
		cmd.Env = []string{"PATH=/usr/bin", "GITHUB_TOKEN=..."}
		return cmd
	})
	_, err := mcpkit.Connect(context.Background(), dial, &mcpkit.ClientOptions{Prefix: "github_"})
	if err != nil {
		fmt.Println(err)
	}
}

// A registry as an MCP server, for mcp.StdioTransport or mcp.NewStreamableHTTPHandler.
func ExampleAddRegistry() {
	type question struct {
		Country string `json:"country"`
	}
	registry := qed.NewRegistry(nil)
	err := registry.Add(qed.NewTool("list_ports", "Lists the ports of a country.", func(_ context.Context, q question) ([]string, error) {
		return []string{"Rotterdam", "Vlissingen"}, nil
	}))
	if err != nil {
		log.Fatal(err)
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "ports", Version: "1.0"}, nil)
	if err := mcpkit.AddRegistry(server, registry, nil); err != nil {
		log.Fatal(err)
	}

	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil)
	http.Handle("/mcp", handler)
}

// An agent as one tool of an MCP server. Each caller has its own conversations.
func ExampleAddAgent() {
	agent := qed.Durable(qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
		city, err := qed.Interrupt[string](ctx, question.Question{Text: "Which Miami?", Choices: []question.Choice{{Text: "Florida"}, {Text: "Ohio"}}})
		if err != nil {
			return qed.Answer{}, err
		}
		return qed.Answer{Text: "Miami, " + city + ", for " + turn.User}, nil
	}), new(store.InMemory), nil)

	server := mcp.NewServer(&mcp.Implementation{Name: "crews", Version: "1.0"}, nil)
	err := mcpkit.AddAgent(server, "ask_crews", "Answers questions about crews.", agent, &mcpkit.ServerOptions{
		// Over HTTP, from the verified token in req.Extra.TokenInfo.
		Caller: func(ctx context.Context, req *mcp.CallToolRequest) (context.Context, mcpkit.Caller, error) {
			return ctx, mcpkit.Caller{User: "ann", Tenant: "acme"}, nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}

	ctx := context.Background()
	client, err := mcp.NewClient(&mcp.Implementation{Name: "desktop"}, nil).Connect(ctx, inProcess(server)(), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	ask := func(arguments map[string]any) mcpkit.AgentResult {
		result, err := client.CallTool(ctx, &mcp.CallToolParams{Name: "ask_crews", Arguments: arguments})
		if err != nil {
			log.Fatal(err)
		}
		var reply mcpkit.AgentResult
		text, _ := json.Marshal(result.StructuredContent)
		if err := json.Unmarshal(text, &reply); err != nil {
			log.Fatal(err)
		}
		return reply
	}
	asked := ask(map[string]any{"question": "How many crews are in Miami?"})
	fmt.Println(asked.Text)
	answered := ask(map[string]any{
		"conversation_id": asked.Conversation,
		"replies":         []any{map[string]any{"question": asked.Questions[0].ID, "value": 2}},
	})
	fmt.Println(answered.Text)

	// Output:
	// Which Miami?
	// 1. Florida
	// 2. Ohio
	// Miami, Ohio, for ann
}
