namespace Jackdaw.Server.Http;

/// <summary>The version of the client protocol that this server answers with; the clients read features from it.</summary>
internal static class ProtocolVersion
{
    public const string Full = "7.2.0";
    public const string Product = "7.2";
    public const int Build = 72000;
}
