package openai

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"github.com/qedkit/qed/internal/provider"
)

// ContextTokens asks a server how many tokens the model of the options reads and writes
// in one call, as the server was started, for [llm.Settings].ContextTokens. It returns 0
// if the server does not say, as OpenAI's does not, or cannot be reached.
//
// vLLM and llama.cpp say it in the list of models, older llama.cpp in /props, and Ollama in
// /api/ps while the model is loaded, which it is after the first call. The number of
// tokens on which a model was trained is another one, and is not used.
func ContextTokens(ctx context.Context, opt *Options) int {
	server, err := newServer(opt, "list of models")
	if err != nil {
		return 0
	}
	call, end := server.Begin(ctx, nil)
	defer end()
	base := strings.TrimSuffix(server.BaseURL(), "/")
	root := strings.TrimSuffix(base, "/v1")
	var listed struct {
		Data []struct {
			ID          string `json:"id"`
			MaxModelLen int    `json:"max_model_len"` // vLLM
			Meta        struct {
				Context int `json:"n_ctx"` // llama.cpp
			} `json:"meta"`
		} `json:"data"`
	}
	if get(call, base+"/models", &listed) {
		for _, m := range listed.Data {
			if m.ID == opt.Model || len(listed.Data) == 1 { // llama.cpp takes any name
				if n := max(m.MaxModelLen, m.Meta.Context); n > 0 {
					return n
				}
			}
		}
	}
	var props struct {
		Generation struct {
			Context int `json:"n_ctx"`
		} `json:"default_generation_settings"`
	}
	if get(call, root+"/props", &props) && props.Generation.Context > 0 {
		return props.Generation.Context
	}
	var loaded struct {
		Models []struct {
			Name    string `json:"name"` // with a tag, such as llama3.2:latest
			Context int    `json:"context_length"`
		} `json:"models"`
	}
	if get(call, root+"/api/ps", &loaded) {
		for _, m := range loaded.Models {
			if m.Name == opt.Model || strings.TrimSuffix(m.Name, ":latest") == opt.Model {
				return max(m.Context, 0)
			}
		}
	}
	return 0
}

// get reads JSON from a server, and reports whether there was any.
func get(c *provider.Call, url string, v any) bool {
	req, err := http.NewRequestWithContext(c.Ctx, http.MethodGet, url, nil)
	if err != nil {
		return false
	}
	if c.Key != "" {
		req.Header.Set("Authorization", "Bearer "+c.Key)
	}
	resp, err := c.Client.Do(req)
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	const most = 4 << 20 // bytes
	return resp.StatusCode == http.StatusOK && json.NewDecoder(io.LimitReader(resp.Body, most)).Decode(v) == nil
}
