namespace Jackdaw.FunctionHost.Tests;

/// <summary>What the handler answers.</summary>
internal sealed record Reply(int Status, string Body)
{
    public static Reply Ok { get; } = new(200, "{}");

    public static Reply Failed { get; } = new(500, """{"error":"no"}""");
}
