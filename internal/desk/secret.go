package desk

import "pressroom/internal/setting"

// Secret is a setting of a desk that does not show itself.
type Secret = setting.Secret
