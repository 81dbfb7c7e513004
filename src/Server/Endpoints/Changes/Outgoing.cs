namespace Jackdaw.Server.Endpoints.Changes;

/// <summary>A message that waits for a client.</summary>
/// <param name="Json">One object; shared by all sockets that get it, and not changed by anyone.</param>
/// <param name="IsNotification">May be dropped where the client does not read; otherwise it answers a command.</param>
internal readonly record struct Outgoing(byte[] Json, bool IsNotification);
