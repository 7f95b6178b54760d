// The earlier name of this command.
import "./rotate-master-key.js";
