import threading

class DryRun(Exception):
    pass

# Executes one call at a time, as moto's models are not thread-safe; responds 501 to an unknown operation, 412 to a dry run.
def serialize_calls():
    from botocore.model import OperationNotFoundError
    from moto.core.responses import BaseResponse
    dispatch, lock = BaseResponse._dispatch, threading.RLock()
    def serialized(self, *args, **kwargs):
        try:
            with lock:
                return dispatch(self, *args, **kwargs)
        except (NotImplementedError, OperationNotFoundError) as error:
            return 501, {"content-type": "text/plain"}, str(error)
        except DryRun:
            return 412, {"content-type": "text/plain"}, ""
    BaseResponse._dispatch = serialized

# Enforces the caller's IAM policies, by action alone, for calls that the proxy marks. moto knows neither the resources nor the
# conditions of a policy, and its check of signatures refuses a body with "%20".
def enforce_policies():
    from moto.core.authorization import ActionAuthenticatorMixin
    from moto.iam.access_control import IAMPolicyStatement, IAMRequest
    matches = IAMPolicyStatement._check_element_matches
    def matched(self, element, value):
        is_allowed = element == "Resource" and self._statement["Effect"] == "Allow"
        return is_allowed or matches(self, element, value)
    IAMPolicyStatement._check_element_matches = matched
    def authorize(self, resource="*"):
        if "X-Gantry-Enforce-Policies" in self.headers:
            IAMRequest(
                account_id=self.current_account, method=self.method, path="/", data=self.data, body=self.raw_body,
                headers=self.headers, action=self._get_action(),
            ).check_action_permitted("*")
        # moto carries out some calls that are dry runs.
        if self.querystring.get("DryRun", [""])[0] == "true":
            raise DryRun()
    ActionAuthenticatorMixin._authenticate_and_authorize_normal_action = authorize
