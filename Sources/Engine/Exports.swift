/// The words of the public interface (IDs, snapshots, events, failures) are Core's; who imports the engine has them.
@_exported public import Core
