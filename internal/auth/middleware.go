package auth

import (
	"net/http"
	"strings"

	"pressroom/internal/errs"
)

// Authenticate finds out who comes: nil is nobody in particular. A bearer token
// counts before a cookie; one that is not valid is Unauthenticated, while a
// session that has ended is nobody. An Authorization of another kind is left to
// others. The session's cookie may be replaced in the answer, so that it must be
// called before anything is written.
func (a *Auth) Authenticate(w http.ResponseWriter, r *http.Request) (*Account, error) {
	if scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok && strings.EqualFold(scheme, "Bearer") {
		return a.admit(r.Context(), strings.TrimSpace(token))
	}
	return a.resume(w, r)
}

// Middleware puts the account of a request into its context. A request that
// cannot be checked is answered, with the kind's status and sentence, and not
// handed on. The package front does the same with better answers.
func (a *Auth) Middleware(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		account, err := a.Authenticate(w, r)
		if err != nil {
			http.Error(w, errs.Message(err), errs.KindOf(err).Status())
			return
		}
		if account != nil {
			r = r.WithContext(With(r.Context(), account))
		}
		next.ServeHTTP(w, r)
	})
}
