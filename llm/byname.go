package llm

import "context"

// ByName returns a Middleware that sends the requests of a name ([Request.Name]) to
// a model of their own, such as a smaller model for "classify". All other requests
// go to the wrapped model. The package of each agent lists the names of its requests.
func ByName(models map[string]Model) Middleware {
	return func(m Model) Model {
		return ModelFunc(func(ctx context.Context, req *Request, stream func(Delta)) (*Response, error) {
			if own := models[req.Name]; own != nil {
				return own.Generate(ctx, req, stream)
			}
			return m.Generate(ctx, req, stream)
		})
	}
}
