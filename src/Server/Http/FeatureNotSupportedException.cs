namespace Jackdaw.Server.Http;

/// <summary>The request is understood, but this version cannot do it yet; answered with 501. Names what was asked for.</summary>
public sealed class FeatureNotSupportedException : Exception
{
    /// <summary>Creates the error; <paramref name="what"/> names the feature.</summary>
    public FeatureNotSupportedException(string what)
        : base($"Not supported by this version of Jackdaw: {what}.") { }
}
