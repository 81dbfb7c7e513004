using Jackdaw.Server.Http;
using Microsoft.Extensions.Primitives;

namespace Jackdaw.Server.Tests.Http;

public sealed class HeaderValuesTests
{
    [Fact]
    public void A_change_vector_comes_with_or_without_quotes()
    {
        Assert.Equal("A:1-x", HeaderValues.ChangeVector("\"A:1-x\""));
        Assert.Equal("A:1-x", HeaderValues.ChangeVector("A:1-x"));
        Assert.Equal("", HeaderValues.ChangeVector("\"\""));
        Assert.Null(HeaderValues.ChangeVector(StringValues.Empty));
    }

    [Fact]
    public void A_record_without_an_etag_must_be_new()
    {
        Assert.Equal(0, HeaderValues.RecordEtag(StringValues.Empty));
        Assert.Equal(0, HeaderValues.RecordEtag("\"undefined\""));
        Assert.Equal(12, HeaderValues.RecordEtag("\"12\""));
        Assert.Throws<BadRequestException>(() => HeaderValues.RecordEtag("\"x\""));
    }
}
