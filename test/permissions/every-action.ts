import { testShippedPermissions } from "./shipped-permissions.js";

testShippedPermissions({ oneIn: 1 });
