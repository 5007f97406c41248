// Package loading says to those who limit the time of a call of a model that its server
// still loads the model, so the call begins later.
package loading

import "context"

type key struct{}

// WithRestart returns a context for a call whose time begins anew when [Restart] is
// called.
func WithRestart(ctx context.Context, restart func()) context.Context {
	return context.WithValue(ctx, key{}, restart)
}

// Restart begins the time of a call anew.
func Restart(ctx context.Context) {
	if restart, ok := ctx.Value(key{}).(func()); ok {
		restart()
	}
}
