namespace Jackdaw.Etl;

/// <summary>The outcome of a connection test.</summary>
/// <param name="Success">The receiver was reached.</param>
/// <param name="Message">What was found, or what is wrong, in words; without secrets.</param>
public sealed record ConnectionTestResult(bool Success, string Message);
