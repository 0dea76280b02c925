package cli

import (
	"context"

	"pressroom/internal/local"
)

// localCmd serves the stores alone, to programs written for AWS.
type localCmd struct{ local.Settings }

// Run serves until the run is interrupted. Backups and checks of the directory are
// made by the process that has it open, as with serve.
func (c *localCmd) Run(r *run) error {
	log := r.logger(c.Common)
	return c.Settings.Run(r.ctx, r.Process, log, func(stores *local.Stores) func() error {
		s := &store{log: log}
		s.use(stores)
		s.startControl(c.Data)
		return s.Close
	})
}

// serve serves the stores in the data directory to outside programs.
func (s *store) serve(ctx context.Context, set endpointSettings) (*local.Endpoint, error) {
	return local.Serve(ctx, set, &local.Stores{Tables: s.tables, Objects: s.objects, Client: s.client}, s.log)
}
