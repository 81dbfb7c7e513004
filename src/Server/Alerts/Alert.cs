namespace Jackdaw.Server.Alerts;

/// <summary>Something that a person should look at.</summary>
/// <param name="Severity"><c>Error</c>: it does not mend itself. <c>Warning</c>: it may.</param>
/// <param name="Source">What it is about, for programs.</param>
/// <param name="Title">What is the matter, in one line.</param>
/// <param name="Message">Why; null when nothing is known.</param>
/// <param name="Advice">What can be done about it.</param>
/// <param name="Since">When it began; null when that is not known.</param>
internal sealed record Alert(string Severity, string Source, string Title, string? Message, string Advice, DateTimeOffset? Since)
{
    public const string Error = "Error";
    public const string Warning = "Warning";
}
