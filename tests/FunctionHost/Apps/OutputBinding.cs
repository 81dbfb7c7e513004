namespace Jackdaw.FunctionHost.Apps;

/// <summary>A queue of Azure Storage that gets what an answer's <c>Outputs</c> has under a name.</summary>
/// <param name="Name">The member of <c>Outputs</c>; <c>$return</c>: the answer's <c>ReturnValue</c>.</param>
/// <param name="Queue">The queue.</param>
/// <param name="Connection">The connection string.</param>
internal sealed record OutputBinding(string Name, string Queue, string Connection);
